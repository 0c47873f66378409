// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// MARK: - Settings

/// What every target is compiled with.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// What is shipped never touches memory unsafely without saying so.
let productSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

/// What `--version` tells: the tag of the commit without "v", or that of the next release.
let version: String = {
  let next = "0.1.0"
  guard let tag = Context.gitInformation?.currentTag, tag.hasPrefix("v") else { return next }
  return String(tag.dropFirst())
}()

// MARK: - Products of other packages

extension Target.Dependency {
  static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
  static let configuration = product(name: "Configuration", package: "swift-configuration")
  static let crypto = product(name: "Crypto", package: "swift-crypto")
  static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
  static let deque = product(name: "DequeModule", package: "swift-collections")
  static let grdb = product(name: "GRDB", package: "GRDB.swift")
  static let grpcCore = product(name: "GRPCCore", package: "grpc-swift-2")
  static let grpcHTTP2 = product(
    name: "GRPCNIOTransportHTTP2Posix",
    package: "grpc-swift-nio-transport"
  )
  static let grpcInProcess = product(name: "GRPCInProcessTransport", package: "grpc-swift-2")
  static let grpcProtobuf = product(name: "GRPCProtobuf", package: "grpc-swift-protobuf")
  static let heap = product(name: "HeapModule", package: "swift-collections")
  static let histogram = product(name: "Histogram", package: "hdrhistogram-swift")
  static let hashTrees = product(name: "HashTreeCollections", package: "swift-collections")
  static let coreMetrics = product(name: "CoreMetrics", package: "swift-metrics")
  static let jwtKit = product(name: "JWTKit", package: "jwt-kit")
  static let inMemoryLogging = product(name: "InMemoryLogging", package: "swift-log")
  static let logging = product(name: "Logging", package: "swift-log")
  static let nioCertificateReloading = product(
    name: "NIOCertificateReloading",
    package: "swift-nio-extras"
  )
  static let metrics = product(name: "Metrics", package: "swift-metrics")
  static let nioCore = product(name: "NIOCore", package: "swift-nio")
  static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
  static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
  static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
  static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
  static let nioHPACK = product(name: "NIOHPACK", package: "swift-nio-http2")
  static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
  static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
  static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
  static let serviceLifecycle = product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle"
  )
  static let swiftProtobuf = product(name: "SwiftProtobuf", package: "swift-protobuf")
  static let swiftASN1 = product(name: "SwiftASN1", package: "swift-asn1")
  static let tracing = product(name: "Tracing", package: "swift-distributed-tracing")
  static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
  static let x509 = product(name: "X509", package: "swift-certificates")
}

// MARK: - Targets

let core: [Target] = [
  .target(name: "LayoutGeometry", swiftSettings: productSettings),
  .target(
    name: "CollectionModel",
    dependencies: ["LayoutGeometry", .hashTrees, .deque],
    swiftSettings: productSettings
  ),
  .target(
    name: "CollectionLayouts",
    dependencies: ["LayoutGeometry", "CollectionModel"],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutSession",
    dependencies: ["LayoutGeometry", "CollectionModel", "CollectionLayouts"],
    swiftSettings: productSettings
  ),
]

let service: [Target] = [
  .target(name: "CBuildVersion", cSettings: [.define("LAYOUT_VERSION", to: "\"\(version)\"")]),
  .target(name: "CAllocator"),
  .target(name: "ResourceAccounting", swiftSettings: productSettings),
  .target(
    name: "ServerLifetime",
    dependencies: [.nioCore, .nioPosix],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutEngine",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "ResourceAccounting", .deque,
      .metrics,
    ],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutProtocol",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession",
      .grpcCore, .grpcProtobuf, .swiftProtobuf,
    ],
    swiftSettings: productSettings
  ),
  .target(
    name: "CollectionStore",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "ResourceAccounting", .deque, .grdb, .metrics,
    ],
    swiftSettings: productSettings
  ),
  // The client library of PostgreSQL, which the trait PostgreSQL asks for.
  .systemLibrary(
    name: "CPostgres",
    pkgConfig: "libpq",
    providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
  ),
  .target(
    name: "PostgreSQLStore",
    dependencies: [
      "CollectionModel", "CollectionStore", .deque,
      .target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"])),
    ],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutTrust",
    dependencies: [.crypto, .jwtKit, .logging, .swiftASN1, .x509],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutService",
    dependencies: [
      "CBuildVersion",
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutEngine",
      "LayoutProtocol", "LayoutTrust", "CollectionStore", "ResourceAccounting",
      "ServerLifetime",
      .grpcCore, .grpcProtobuf, .grpcHTTP2, .swiftProtobuf,
      .crypto, .nioCore, .nioHPACK, .nioHTTP1, .nioHTTP2, .nioPosix, .nioWebSocket, .logging,
      .deque, .hashTrees,
      .heap, .metrics, .nioCertificateReloading, .nioSSL, .nioTLS, .swiftASN1, .tracing, .x509,
    ],
    swiftSettings: productSettings
  ),
  // A backend of swift-metrics, and nothing of the server.
  .target(name: "LayoutMetrics", dependencies: [.coreMetrics], swiftSettings: productSettings),
  // A backend of swift-distributed-tracing, and nothing of the server.
  .target(
    name: "LayoutTracing",
    dependencies: [
      .deque, .grpcCore, .grpcHTTP2, .grpcProtobuf, .logging, .metrics, .swiftProtobuf, .tracing,
    ],
    swiftSettings: productSettings
  ),
  // The files of the inspector's page as bytes, from Clients.
  .target(name: "InspectorFiles"),
  .target(
    name: "LayoutAdmin",
    dependencies: [
      "CollectionStore", "InspectorFiles", "LayoutEngine", "LayoutMetrics", "LayoutProtocol",
      "LayoutService",
      .logging, .nioCore, .nioHTTP1, .nioPosix, .swiftProtobuf,
    ],
    swiftSettings: productSettings
  ),
  .target(
    name: "LayoutClient",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutProtocol",
      .grpcCore, .grpcHTTP2, .grpcProtobuf, .swiftProtobuf,
    ],
    swiftSettings: productSettings
  ),
]

let commands: [Target] = [
  // Layouts that are programs of their own, in Swift.
  .target(
    name: "LayoutProviding",
    dependencies: [
      "LayoutGeometry", "CollectionLayouts", "LayoutProtocol", "ServerLifetime", .grpcCore,
      .grpcHTTP2, .swiftProtobuf,
    ],
    swiftSettings: productSettings
  ),
  .target(
    name: "ServerCommand",
    dependencies: [
      "CAllocator",
      "CollectionLayouts", "LayoutService", "LayoutEngine", "LayoutTrust", "CollectionStore",
      "LayoutAdmin", "LayoutProtocol",
      "LayoutMetrics", "LayoutTracing", "PostgreSQLStore", .deque, .metrics,
      .configuration, .grpcCore, .grpcHTTP2, .logging, .serviceLifecycle,
      .unixSignals,
    ],
    swiftSettings: productSettings
  ),
  .executableTarget(
    name: "layout-server",
    dependencies: ["ServerCommand"],
    swiftSettings: productSettings
  ),
  .executableTarget(
    name: "layoutctl",
    dependencies: [
      "CBuildVersion",
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutProtocol",
      "LayoutClient", "LayoutTrust",
      .argumentParser, .grpcCore, .grpcHTTP2, .grpcProtobuf, .swiftProtobuf,
      .histogram, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS,
    ],
    swiftSettings: productSettings
  ),
]

let tests: [Target] = [
  .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
  // What fuzzers drive: functions of any bytes. libFuzzer executables call them too.
  .target(
    name: "FuzzTargets",
    dependencies: ["LayoutGeometry", "CollectionModel", "CollectionLayouts"],
    path: "Tests/Fuzzing/FuzzTargets",
    swiftSettings: settings
  ),
  .testTarget(
    name: "FuzzTests",
    dependencies: ["FuzzTargets", "TestSupport"],
    path: "Tests/Fuzzing/FuzzTests",
    swiftSettings: settings
  ),
  // What fuzzers drive: functions of any bytes.
  .target(
    name: "ProtocolFuzzTargets",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutProtocol",
      .swiftProtobuf,
    ],
    path: "Tests/Fuzzing/ProtocolFuzzTargets",
    swiftSettings: settings
  ),
  .testTarget(
    name: "ProtocolFuzzTests",
    dependencies: ["ProtocolFuzzTargets", "TestSupport"],
    path: "Tests/Fuzzing/ProtocolFuzzTests",
    swiftSettings: settings
  ),
  .testTarget(
    name: "CommandTests",
    dependencies: [
      "CollectionStore", "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutProtocol",
      "LayoutClient", "LayoutProviding", "LayoutService", "LayoutTrust", "PostgreSQLStore",
      "ServerTesting", "StoreTesting",
      "TrustTesting", "layoutctl", "ServerCommand",
      .argumentParser, .grpcCore, .logging, .nioCore, .nioPosix, .swiftProtobuf, .x509,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "ConformanceTests",
    dependencies: [
      "CollectionLayouts", "CollectionStore", "LayoutClient", "LayoutProtocol", "LayoutService",
      "PostgreSQLStore", "StoreTesting", .grpcCore, .grpcHTTP2, .grpcInProcess, .grpcProtobuf,
      .logging, .swiftProtobuf,
    ],
    exclude: ["Cases", "PendingCases.txt"],
    swiftSettings: settings
  ),
  .testTarget(
    name: "CollectionLayoutsTests",
    dependencies: ["LayoutGeometry", "CollectionModel", "CollectionLayouts", "TestSupport"],
    swiftSettings: settings
  ),
  .testTarget(
    name: "CollectionModelTests",
    dependencies: ["LayoutGeometry", "CollectionModel", "FuzzTargets", "TestSupport"],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutSessionTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "TestSupport",
      "CAllocator",
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutEngineTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutEngine",
      "ResourceAccounting", "TestSupport",
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "ResourceAccountingTests",
    dependencies: ["ResourceAccounting", "TestSupport"],
    swiftSettings: settings
  ),
  .target(
    name: "StoreTesting",
    dependencies: ["LayoutGeometry", "CollectionModel", "CollectionStore"],
    path: "Tests/StoreTesting",
    swiftSettings: settings
  ),
  .target(
    name: "StoreFuzzTargets",
    dependencies: ["CollectionModel", "CollectionStore", "StoreTesting", "TestSupport", .grdb],
    path: "Tests/Fuzzing/StoreFuzzTargets",
    swiftSettings: settings
  ),
  .executableTarget(
    name: "store-writer",
    dependencies: ["CollectionModel", "CollectionStore", "StoreTesting", "TestSupport"],
    path: "Tests/StoreWriter",
    swiftSettings: settings
  ),
  .executableTarget(
    name: "store-load",
    dependencies: ["CollectionModel", "CollectionStore", "PostgreSQLStore", "StoreTesting"],
    path: "Tests/StoreLoad",
    swiftSettings: settings
  ),
  .testTarget(
    name: "CollectionStoreTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionStore", "ResourceAccounting",
      "StoreFuzzTargets", "StoreTesting", "store-writer", "TestSupport", .grdb,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "PostgreSQLStoreTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionStore", "PostgreSQLStore", "StoreTesting",
      "TestSupport", "TrustTesting", .nioCore, .nioPosix, .x509,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutServiceTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutEngine",
      "LayoutProtocol", "LayoutProviding", "CollectionStore", "LayoutService", "LayoutClient",
      "ResourceAccounting", "ServerTesting", "StoreTesting", "TestSupport", "TrustTesting",
      .grpcCore, .grpcHTTP2, .grpcInProcess, .grpcProtobuf, .swiftProtobuf, .logging, .metrics,
      .nioCore, .nioPosix, .x509,
    ],
    swiftSettings: settings
  ),
  .target(
    name: "ServerTesting",
    dependencies: [.grpcCore, .grpcHTTP2, .grpcProtobuf, .swiftProtobuf],
    path: "Tests/ServerTesting",
    swiftSettings: settings
  ),
  .target(
    name: "TrustTesting",
    dependencies: [.crypto, .cryptoExtras, .swiftASN1, .x509],
    path: "Tests/TrustTesting",
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutTrustTests",
    dependencies: [
      "LayoutTrust", "TrustTesting", .crypto, .inMemoryLogging, .logging, .swiftASN1, .x509,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "SecurityTests",
    dependencies: [
      "CollectionStore", "LayoutClient", "LayoutGeometry", "LayoutProtocol", "LayoutService",
      "LayoutSession", "LayoutTrust", "TrustTesting", .grpcCore, .grpcHTTP2, .grpcProtobuf,
      .logging, .swiftProtobuf, .x509,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutMetricsTests",
    dependencies: ["LayoutMetrics", "TestSupport", .coreMetrics],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutTracingTests",
    dependencies: [
      "CollectionModel", "LayoutClient", "LayoutMetrics", "LayoutProtocol", "LayoutService",
      "LayoutSession", "LayoutTracing", "TestSupport", .grpcCore, .grpcHTTP2, .grpcProtobuf,
      .logging, .metrics, .nioCore, .nioPosix, .swiftProtobuf, .tracing,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutAdminTests",
    dependencies: [
      "CollectionLayouts", "CollectionStore", "LayoutAdmin", "LayoutClient", "LayoutMetrics",
      "LayoutProtocol", "LayoutService", "TestSupport", .logging, .nioCore, .nioEmbedded,
      .nioHTTP1, .nioPosix, .swiftProtobuf,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "TransportTests",
    dependencies: [
      "LayoutProtocol", "LayoutService", "LayoutSession", "ServerLifetime", "TestSupport",
      .grpcCore, .logging,
      .nioCore, .nioEmbedded, .nioHPACK, .nioHTTP1, .nioHTTP2, .nioPosix, .nioWebSocket,
      .swiftProtobuf,
    ],
    swiftSettings: settings
  ),
  .testTarget(
    name: "LayoutProtocolTests",
    dependencies: [
      "LayoutGeometry", "CollectionModel", "CollectionLayouts", "LayoutSession", "LayoutProtocol",
      "TestSupport",
      .grpcCore, .grpcInProcess, .grpcProtobuf, .swiftProtobuf,
    ],
    swiftSettings: settings
  ),
]

// MARK: - Package

let package = Package(
  name: "collection-layout-server",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "LayoutGeometry", targets: ["LayoutGeometry"]),
    .library(name: "CollectionModel", targets: ["CollectionModel"]),
    .library(name: "CollectionLayouts", targets: ["CollectionLayouts"]),
    // What the interfaces of the last two are made of comes with them.
    .library(
      name: "LayoutService",
      targets: ["LayoutService", "LayoutEngine", "LayoutTrust", "CollectionStore"]
    ),
    // `layout-server` as a library, for servers with layouts of their own.
    .library(name: "ServerCommand", targets: ["ServerCommand"]),
    .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
    .library(name: "LayoutProviding", targets: ["LayoutProviding", "CollectionLayouts"]),
    .library(name: "LayoutClient", targets: ["LayoutClient", "LayoutProtocol", "LayoutSession"]),
    .executable(name: "layout-server", targets: ["layout-server"]),
    .executable(name: "layoutctl", targets: ["layoutctl"]),
  ],
  traits: [
    .default(enabledTraits: ["PostgreSQL"]),
    .trait(name: "PostgreSQL", description: "Storage in PostgreSQL, which needs libpq."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(
      url: "https://github.com/apple/swift-configuration",
      from: "1.4.0",
      traits: ["CommandLineArguments"]
    ),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    // No traits: they would pull in all of Foundation.
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
  ],
  targets: core + service + commands + tests
)

// MARK: - Fuzzing

/// With FUZZING=1 in the environment the package is the fuzzer and what it drives, and nothing
/// else: an executable without a main function of its own, which only links under
/// `--sanitize fuzzer`.
/// `Scripts/fuzz` builds it.
///
/// Of the service and the command there are only the files that read bytes, so that neither gRPC's
/// transport nor the argument parser is built with it.
let fuzzing: [Target] = [
  .target(
    name: "layoutctl",
    dependencies: ["LayoutGeometry", "LayoutProtocol", .grpcCore, .swiftProtobuf],
    sources: [
      "Import/CSVReader.swift", "Import/ColumnMapping.swift", "Import/TableReader.swift",
      "Support/CommandFault.swift", "Support/PrintableText.swift", "Support/TextFile.swift",
    ],
    swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]
  ),
  .target(
    name: "CommandFuzzTargets",
    dependencies: ["layoutctl"],
    path: "Tests/CommandTests",
    sources: ["TableFuzzTarget.swift"],
    swiftSettings: settings
  ),
  .target(
    name: "LayoutService",
    dependencies: ["CollectionStore", "LayoutProtocol", .crypto],
    sources: [
      "Sessions/Opening/ResumeToken.swift", "Sessions/Opening/ResumeTokenSigner.swift",
    ],
    swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]
  ),
  .target(
    name: "ServiceFuzzTargets",
    dependencies: ["CollectionStore", "LayoutProtocol", "LayoutService"],
    path: "Tests/LayoutServiceTests",
    sources: ["ResumeTokenFuzzTarget.swift"],
    swiftSettings: settings
  ),
  .executableTarget(
    name: "fuzzer",
    dependencies: [
      "CommandFuzzTargets", "FuzzTargets", "ProtocolFuzzTargets", "ServiceFuzzTargets",
      "StoreFuzzTargets", "TestSupport",
    ],
    path: "Tests/Fuzzing/Fuzzer",
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
  ),
]

/// Of the ordinary targets, what the fuzzer needs.
let fuzzed: Set<String> = [
  "CollectionLayouts", "CollectionModel", "CollectionStore", "FuzzTargets", "LayoutGeometry",
  "LayoutProtocol", "LayoutSession", "ProtocolFuzzTargets", "ResourceAccounting",
  "StoreFuzzTargets", "StoreTesting", "TestSupport",
]

if Context.environment["FUZZING"] == "1" {
  package.targets = package.targets.filter { fuzzed.contains($0.name) } + fuzzing
  package.products = [.executable(name: "fuzzer", targets: ["fuzzer"])]
}
