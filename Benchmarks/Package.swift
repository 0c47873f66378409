// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

extension Target.Dependency {
  static let collectionLayouts = product(
    name: "CollectionLayouts",
    package: "collection-layout-server"
  )
  static let collectionModel = product(name: "CollectionModel", package: "collection-layout-server")
  static let layoutGeometry = product(name: "LayoutGeometry", package: "collection-layout-server")
  /// With LayoutSession and LayoutProtocol.
  static let layoutClient = product(name: "LayoutClient", package: "collection-layout-server")
  /// With LayoutEngine.
  static let layoutService = product(name: "LayoutService", package: "collection-layout-server")
  static let grpcCore = product(name: "GRPCCore", package: "grpc-swift-2")
  static let grpcHTTP2 = product(
    name: "GRPCNIOTransportHTTP2Posix",
    package: "grpc-swift-nio-transport"
  )
}

let package = Package(
  name: "layout-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "collection-layout-server", path: ".."),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .target(name: "AllocatedBytes"),
    .target(
      name: "Workloads",
      dependencies: [
        "AllocatedBytes", .collectionLayouts, .collectionModel, .layoutGeometry, .layoutClient,
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "figures",
      dependencies: [
        "Workloads", .collectionLayouts, .collectionModel, .layoutGeometry, .layoutClient,
        .layoutService,
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "growth",
      dependencies: ["Workloads", .collectionLayouts, .collectionModel],
      swiftSettings: settings
    ),
    .target(name: "AllocationCount"),
    .executableTarget(
      name: "allocations",
      dependencies: [
        "AllocationCount", "Workloads", .collectionLayouts, .collectionModel, .layoutGeometry,
        .layoutClient,
      ],
      swiftSettings: settings
    ),
    .target(name: "CountedCall"),
    .executableTarget(
      name: "instructions",
      dependencies: ["CountedCall", "Workloads"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "echo-server",
      dependencies: [.grpcCore, .grpcHTTP2],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "stream-load",
      dependencies: [.grpcCore, .grpcHTTP2],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "LayoutBenchmarks",
      dependencies: [
        "Workloads", .collectionLayouts, .collectionModel, .layoutGeometry, .layoutClient,
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/LayoutBenchmarks",
      swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    ),
  ]
)
