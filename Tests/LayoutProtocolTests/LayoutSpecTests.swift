// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import TestSupport
import Testing

@Suite("LayoutSpec", .timeLimit(.minutes(2)))
struct LayoutSpecTests {
  @Test("every layout with every option survives the way to the wire and back", arguments: 0 ... 12)
  func roundTrip(kind: Int) throws {
    var random = SplitMix64(seed: 7 + UInt64(kind))
    for _ in 0 ..< 60 {
      let configuration = LayoutConfiguration(
        random.layout(kind),
        options: random.options(),
        scrollEffects: random.some { $0.scrollEffect() }
      )
      let spec = try #require(Wire.LayoutSpec(configuration))
      let bytes: [UInt8] = try spec.serializedBytes()
      let read = try Wire.LayoutSpec(serializedBytes: bytes)
      #expect(try read.decoded(by: ReadingRules(), prefix: "layout") == configuration)
    }
  }

  @Test("an empty message of each kind is the layout with its documented defaults")
  func defaults() throws {
    func read(_ make: (inout Wire.LayoutSpec) -> Void) throws -> LayoutConfiguration {
      var spec = Wire.LayoutSpec()
      make(&spec)
      return try spec.decoded(by: ReadingRules(), prefix: "")
    }
    #expect(try read { $0.flow = .init() } == LayoutConfiguration(FlowLayout()))
    #expect(try read { $0.list = .init() } == LayoutConfiguration(ListLayout()))
    #expect(try read { $0.grid = .init() } == LayoutConfiguration(GridLayout()))
    #expect(try read { $0.line = .init() } == LayoutConfiguration(LineLayout()))
    #expect(try read { $0.circle = .init() } == LayoutConfiguration(CircleLayout()))
    #expect(try read { $0.carousel = .init() } == LayoutConfiguration(CarouselLayout()))
    #expect(try read { $0.stack = .init() } == LayoutConfiguration(StackLayout()))
    #expect(try read { $0.spatial = .init() } == LayoutConfiguration(SpatialLayout()))
    #expect(
      try read { $0.waterfall.columnCount = 2 }
        == LayoutConfiguration(WaterfallLayout(columns: .count(2)))
    )
    #expect(
      try read { $0.gridLanes.lanes = [.with { $0.fraction = 2 }] }
        == LayoutConfiguration(GridLanesLayout(lanes: [GridLane(.fraction(2))]))
    )
    #expect(
      try read { $0.table.columns = [.with { $0.id = "name" }] }
        == LayoutConfiguration(TableLayout(columns: [TableColumn("name")]))
    )
    #expect(
      try read {
        $0.table.columns = [.with { $0.id = "name" }]
        $0.table.rowKinds = [
          .with { $0.spans = [.with { ($0.column, $0.count, $0.rowCount) = ("name", 1, 3) }] }
        ]
      }
        == LayoutConfiguration(
          TableLayout(
            columns: [TableColumn("name")],
            rowKinds: [
              TableRowKind(
                cellKind: "",
                spans: [TableSpan(column: "name", count: 1, rowCount: 3)]
              )
            ]
          )
        )
    )
    #expect(throws: LayoutProblem.self) {
      try read {
        $0.table.columns = [
          .with {
            $0.id = "group"
            $0.width = 90
            $0.columns = [.with { $0.id = "name" }]
          }
        ]
      }
    }
    var options = LayoutOptions(sectionBackgrounds: [SectionBackground(kind: "bg")])
    options.appearing = .fade
    #expect(
      try read {
        $0.grid = .init()
        $0.sectionBackgrounds = [.with { $0.kind = "bg" }]
        $0.appearing = .init()
      } == LayoutConfiguration(GridLayout(), options: options)
    )
  }

  @Test(
    "a faulty field is named from the request on",
    arguments: [
      ("layout.flow.item_size.width", .with { $0.flow.itemSize.width = -1 }),
      ("layout.flow.minimum_line_spacing", .with { $0.flow.minimumLineSpacing = .nan }),
      ("layout.flow.section_inset.top", .with { $0.flow.sectionInset.top = .infinity }),
      ("layout.flow.scroll_direction", .with { $0.flow.scrollDirection = .UNRECOGNIZED(9) }),
      ("layout.flow.alignment", .with { $0.flow.alignment = .UNRECOGNIZED(9) }),
      ("layout.list.row_height", .with { $0.list.rowHeight = -5 }),
      ("layout.list.row_height", .with { $0.list.rowHeight = 0x1p41 }),
      ("layout.carousel.style", .with { $0.carousel.style = .UNRECOGNIZED(44) }),
      (
        "layout.appearing.alpha",
        .with {
          $0.grid = .init()
          $0.appearing.alpha = 1.5
        }
      ),
      (
        "layout.appearing.offset.x",
        .with {
          $0.grid = .init()
          $0.appearing.offset.x = .nan
        }
      ),
      (
        "layout.scroll_snap",
        .with {
          $0.grid = .init()
          $0.scrollSnap = .UNRECOGNIZED(5)
        }
      ),
      (
        "layout.scroll_targets.anchor",
        .with {
          $0.grid = .init()
          $0.scrollTargets.unit = .items
          $0.scrollTargets.anchor = -0.5
        }
      ),
      (
        "layout.scroll_targets.unit",
        .with {
          $0.grid = .init()
          $0.scrollTargets.unit = .UNRECOGNIZED(7)
        }
      ),
      (
        "layout.scroll_targets.kind_anchors[1].kind",
        .with {
          $0.grid = .init()
          $0.scrollTargets.unit = .items
          $0.scrollTargets.kindAnchors = [.with { $0.kind = "a" }, .with { $0.kind = "a" }]
        }
      ),
      (
        "layout.scroll_effects[1].trailing.values.scale",
        .with {
          $0.grid = .init()
          $0.scrollEffects = [.init(), .with { $0.trailing.values.scale = 4.5 }]
        }
      ),
      (
        "layout.scroll_effects[0].leading.identity.visible",
        .with {
          $0.grid = .init()
          $0.scrollEffects = [.with { $0.leading.identity.visible = .nan }]
        }
      ),
      (
        "layout.scroll_effects[0].axis",
        .with {
          $0.grid = .init()
          $0.scrollEffects = [.with { $0.axis = .UNRECOGNIZED(7) }]
        }
      ),
      (
        "layout.scroll_effects[0].category",
        .with {
          $0.grid = .init()
          $0.scrollEffects = [.with { $0.category = .UNRECOGNIZED(7) }]
        }
      ),
      (
        "layout.scroll_effects[0].kinds[1]",
        .with {
          $0.grid = .init()
          $0.scrollEffects = [.with { $0.kinds = ["a", String(repeating: "b", count: 129)] }]
        }
      ),
      (
        "layout.scroll_effects",
        .with {
          $0.grid = .init()
          $0.scrollEffects = Array(repeating: .init(), count: 17)
        }
      ),
      (
        "layout.section_backgrounds[1].insets.bottom",
        .with {
          $0.grid = .init()
          $0.sectionBackgrounds = [.init(), .with { $0.insets.bottom = .nan }]
        }
      ),
      (
        "layout.compositional.sections[0].group.subitems[1].item.size.width.absolute",
        .with {
          $0.compositional.sections = [
            .with {
              $0.group.subitems = [
                .init(),
                .with {
                  $0.item.size.width.absolute = .infinity
                },
              ]
            }
          ]
        }
      ),
    ] as [(String, Wire.LayoutSpec)]
  )
  func violations(field: String, spec: Wire.LayoutSpec) throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try spec.decoded(by: ReadingRules(), prefix: "layout")
    }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.code == .invalidArgument)
    #expect(problem.violations.contains { $0.field == field })
  }

  @Test("one bad value is told once, though reader and layout both see it")
  func noEcho() throws {
    let spec = Wire.LayoutSpec.with { $0.carousel.cameraDistance = .nan }
    let problem = try #require(throws: LayoutProblem.self) {
      try spec.decoded(by: ReadingRules(), prefix: "")
    }
    #expect(problem.violations.map(\.field) == ["carousel.camera_distance"])
  }

  @Test("a divisor so small that places are not finite is refused")
  func tinyDivisors() throws {
    for tiny in [0.000_9, 1e-307, .leastNonzeroMagnitude, 0, -1] {
      for (field, spec) in [
        ("circle.radius_divisor", Wire.LayoutSpec.with { $0.circle.radiusDivisor = tiny }),
        ("carousel.camera_distance", .with { $0.carousel.cameraDistance = tiny }),
      ] {
        let problem = try #require(throws: LayoutProblem.self) {
          try spec.decoded(by: ReadingRules(), prefix: "")
        }
        #expect(problem.violations.map(\.field) == [field])
      }
    }
  }

  @Test("an unset kind is unknown, and the answer lists the known ones")
  func unknownKind() throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try Wire.LayoutSpec().decoded(by: ReadingRules(), prefix: "layout")
    }
    #expect(problem.reason == .layoutKindUnknown)
    #expect(problem.metadata["supportedKinds"]?.hasPrefix("flow, list, grid") == true)
    #expect(problem.violations.map(\.field) == ["layout"])
  }

  @Test("a verdict tells violations and warnings from LayoutSpec on")
  func verdict() throws {
    let bad = Wire.LayoutSpec.with { $0.flow.itemSize.height = -3 }
    let verdict = try bad.verdict(by: ReadingRules(), viewportSize: nil)
    #expect(verdict.configuration == nil)
    #expect(verdict.violations.map(\.field) == ["flow.item_size.height"])
    let good = try Wire.LayoutSpec.with { $0.flow = .init() }
      .verdict(by: ReadingRules(), viewportSize: Size(width: 320, height: 480))
    #expect(good.configuration == LayoutConfiguration(FlowLayout()))
    #expect(good.violations.isEmpty)
  }
}

@Suite("LayoutRegistry", .timeLimit(.minutes(2)))
struct LayoutRegistryTests {
  /// Knows one parameter.
  private struct PetalLayout: CustomCollectionLayout {
    static let name = "petals"
    var count: Double

    init(count: Double) { self.count = count }

    init?(parameters: [String: CustomValue], findings: inout LayoutFindings) {
      guard case .number(let count) = parameters["count"], count > 0 else {
        findings.reject("count", "a positive number is needed")
        return nil
      }
      if count > 100 { findings.warn("count", "that is a lot") }
      self.count = count
    }

    var parameters: [String: CustomValue] { ["count": .number(count)] }

    func prepare(_ context: LayoutContext) -> any PreparedLayout {
      GridLayout().prepare(context)
    }
  }

  private var rules: ReadingRules {
    var registry = LayoutRegistry()
    registry.register(PetalLayout.self)
    return ReadingRules(registry: registry)
  }

  @Test("a registered layout is made from its parameters, and told to servers again")
  func custom() throws {
    let configuration = LayoutConfiguration(PetalLayout(count: 5))
    let spec = try #require(Wire.LayoutSpec(configuration))
    #expect(spec.custom.name == "petals")
    #expect(try spec.decoded(by: rules, prefix: "") == configuration)
    #expect(spec == Wire.LayoutSpec(customNamed: "petals", parameters: ["count": .number(5)]))
    #expect(configuration.layout.kindName == "custom:petals")
    #expect(rules.registry.supportedKinds.last == "custom:petals")
  }

  @Test("its refusals and warnings are named from the parameters on")
  func refusal() throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try Wire.LayoutSpec(customNamed: "petals").decoded(by: rules, prefix: "layout")
    }
    #expect(problem.violations.map(\.field) == ["layout.custom.parameters.count"])
    let verdict = try Wire.LayoutSpec(customNamed: "petals", parameters: ["count": .number(200)])
      .verdict(by: rules, viewportSize: nil)
    #expect(verdict.warnings.map(\.field) == ["custom.parameters.count"])
  }

  @Test("an unknown name is an unknown kind")
  func unknown() throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try Wire.LayoutSpec(customNamed: "leaves").decoded(by: rules, prefix: "layout")
    }
    #expect(problem.reason == .layoutKindUnknown)
    #expect(problem.violations.map(\.field) == ["layout.custom.name"])
    #expect(problem.message.contains("custom:petals"))
  }
}
