// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import TestSupport
import Testing

@Suite("LayoutSpec.responsive", .timeLimit(.minutes(2)))
struct ResponsiveSpecTests {
  /// A list where it is narrow, else a grid.
  private static func spec(
    _ change: (inout Wire.ResponsiveLayout) -> Void = { _ in }
  ) -> Wire.LayoutSpec {
    .with {
      $0.responsive.variants = [
        .with {
          $0.condition.belowWidth = 400
          $0.layout.list = .init()
        }
      ]
      $0.responsive.otherwise.grid = .init()
      change(&$0.responsive)
    }
  }

  @Test("every variant with every option survives the way to the wire and back", arguments: 0 ..< 8)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: 90 + seed)
    for _ in 0 ..< 20 {
      let configuration = LayoutConfiguration(random.responsive())
      let spec = try #require(Wire.LayoutSpec(configuration))
      let bytes: [UInt8] = try spec.serializedBytes()
      let read = try Wire.LayoutSpec(serializedBytes: bytes)
      #expect(try read.decoded(by: ReadingRules(), prefix: "layout") == configuration)
    }
  }

  private static let faulty: [(field: String, spec: Wire.LayoutSpec)] = [
    ("layout.responsive.variants", spec { $0.variants = [] }),
    (
      "layout.responsive.variants",
      spec { $0.variants = Array(repeating: $0.variants[0], count: 17) }
    ),
    ("layout.responsive.otherwise", spec { $0.clearOtherwise() }),
    ("layout.responsive.otherwise", spec { $0.otherwise = Self.spec() }),
    ("layout.responsive.variants[0].layout", spec { $0.variants[0].clearLayout() }),
    ("layout.responsive.variants[0].layout", spec { $0.variants[0].layout = Self.spec() }),
    ("layout.responsive.variants[0].condition", spec { $0.variants[0].clearCondition() }),
    (
      "layout.responsive.variants[0].condition.min_width",
      spec { $0.variants[0].condition.minWidth = .nan }
    ),
    (
      "layout.responsive.variants[0].condition.below_width",
      spec { $0.variants[0].condition.minWidth = 400 }
    ),
    (
      "layout.responsive.variants[0].condition.required_traits[1]",
      spec { $0.variants[0].condition.requiredTraits = ["a", ""] }
    ),
    (
      "layout.responsive.variants[0].condition.excluded_traits",
      spec { $0.variants[0].condition.excludedTraits = (0 ... 16).map { "\($0)" } }
    ),
    (
      "layout.responsive.variants[0].condition.vertical_size_class",
      spec { $0.variants[0].condition.verticalSizeClass = .UNRECOGNIZED(3) }
    ),
    (
      "layout.responsive.variants[0].layout.list.row_height",
      spec { $0.variants[0].layout.list.rowHeight = -1 }
    ),
    (
      "layout.responsive.otherwise.section_backgrounds[0].insets.top",
      spec { $0.otherwise.sectionBackgrounds = [.with { $0.insets.top = .infinity }] }
    ),
    ("layout.pixel_aligned", beside { $0.pixelAligned = true }),
    ("layout.scroll_snap", beside { $0.scrollSnap = .page }),
    ("layout.appearing", beside { $0.appearing = .init() }),
  ]

  @Test("a faulty field is named from the request on", arguments: faulty)
  func faults(field: String, spec: Wire.LayoutSpec) {
    let problem = #expect(throws: LayoutProblem.self) {
      _ = try spec.decoded(by: ReadingRules(), prefix: "layout")
    }
    #expect(problem?.reason == .fieldInvalid)
    #expect(problem?.violations.map(\.field) == [field])
  }

  private static func beside(_ change: (inout Wire.LayoutSpec) -> Void) -> Wire.LayoutSpec {
    var spec = spec()
    change(&spec)
    return spec
  }

  @Test("a variant of an unknown kind is told with its field")
  func unknownKind() {
    let spec = Self.spec { $0.variants[0].layout = .init() }
    let problem = #expect(throws: LayoutProblem.self) {
      _ = try spec.decoded(by: ReadingRules(), prefix: "layout")
    }
    #expect(problem?.reason == .layoutKindUnknown)
    #expect(problem?.violations.map(\.field) == ["layout.responsive.variants[0].layout"])
  }

  @Test("a check tells of all variants, and warns of those that suit the size")
  func verdict() throws {
    let spec = Self.spec {
      $0.variants[0].layout.flow.itemSize = .with { $0.width = 390 }
      $0.otherwise.flow.itemSize = .with { $0.width = 5000 }
    }
    let narrow = try spec.verdict(
      by: ReadingRules(),
      viewportSize: Size(width: 320, height: 480)
    )
    #expect(narrow.violations.isEmpty)
    #expect(
      narrow.warnings.map(\.field) == ["responsive.variants[0].layout.flow.item_size.width"]
    )
    let wide = try spec.verdict(by: ReadingRules(), viewportSize: Size(width: 800, height: 480))
    #expect(wide.warnings.map(\.field) == ["responsive.otherwise.flow.item_size.width"])
    let faulty = Self.spec {
      $0.variants[0].layout.list.rowHeight = -1
      $0.otherwise.list.rowHeight = -1
    }
    #expect(
      try faulty.verdict(by: ReadingRules(), viewportSize: nil).violations.map(\.field) == [
        "responsive.variants[0].layout.list.row_height", "responsive.otherwise.list.row_height",
      ]
    )
  }

  @Test("traits survive the way to the wire and back, and faulty ones are named")
  func traits() throws {
    let change = ViewportChange(
      traits: .init(
        displayScale: 2,
        isRightToLeft: true,
        stated: LayoutTraits(
          names: ["tv", "kiosk"],
          horizontalSizeClass: .compact,
          verticalSizeClass: .regular
        )
      )
    )
    var reader = FieldReader()
    #expect(reader.viewport(Wire.ViewportChange(change)) == change)
    try reader.finish()
    var message = Wire.ViewportChange(change)
    message.traits.names = ["", "a"]
    message.traits.horizontalSizeClass = .UNRECOGNIZED(9)
    _ = reader.viewport(message)
    message.traits = .with { $0.names = (0 ... 32).map { "\($0)" } }
    _ = reader.viewport(message)
    #expect(
      reader.violations.map(\.field) == [
        "traits.names[0]", "traits.horizontal_size_class", "traits.names",
      ]
    )
  }
}

extension SplitMix64 {
  /// A valid responsive layout.
  mutating func responsive() -> ResponsiveLayout {
    ResponsiveLayout(
      variants: some(1 ... 4) { random in
        ResponsiveLayout.Variant(random.condition(), random.variant())
      },
      otherwise: variant(),
      isAnimated: bool()
    )
  }

  private mutating func variant() -> LayoutConfiguration {
    LayoutConfiguration(layout(int(0 ... 10)), options: options())
  }

  private mutating func condition() -> LayoutCondition {
    LayoutCondition(
      minimumWidth: maybe { $0.number(0 ... 400) },
      widthBelow: maybe { $0.number(401 ... 900) },
      minimumHeight: maybe { $0.number(0 ... 400) },
      heightBelow: maybe { $0.number(401 ... 900) },
      minimumDisplayScale: maybe { $0.number(0 ... 2) },
      displayScaleBelow: maybe { $0.number(3 ... 4) },
      isRightToLeft: bool(),
      requiredTraits: ["a", word() + "r"],
      excludedTraits: [word() + "x"],
      horizontalSizeClass: maybe { $0.bool() ? .compact : .regular },
      verticalSizeClass: maybe { $0.bool() ? .compact : .regular }
    )
  }
}
