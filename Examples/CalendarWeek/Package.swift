// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

extension Target.Dependency {
  /// A product of the package of the layout server.
  static func layouts(_ name: String) -> Target.Dependency {
    .product(name: name, package: "collection-layout-server")
  }
}

let package = Package(
  name: "calendar-week",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CalendarWeek", targets: ["CalendarWeek"]),
    .executable(name: "calendar-server", targets: ["calendar-server"]),
  ],
  dependencies: [.package(name: "collection-layout-server", path: "../..")],
  targets: [
    .target(
      name: "CalendarWeek",
      dependencies: [
        .layouts("LayoutGeometry"), .layouts("CollectionModel"), .layouts("CollectionLayouts"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "calendar-server",
      dependencies: ["CalendarWeek", .layouts("CollectionLayouts"), .layouts("ServerCommand")],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CalendarWeekTests",
      dependencies: [
        "CalendarWeek",
        .layouts("LayoutGeometry"), .layouts("CollectionModel"), .layouts("CollectionLayouts"),
        .layouts("LayoutService"), .layouts("LayoutClient"),
      ],
      swiftSettings: settings
    ),
  ]
)
