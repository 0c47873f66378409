// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Responsive layouts", .timeLimit(.minutes(2)))
struct ResponsiveLayoutTests {
  private func environment(
    _ width: Double,
    _ height: Double = 480,
    insets: EdgeInsets = .zero,
    scale: Double = 1,
    isRightToLeft: Bool = false,
    traits: LayoutTraits = .none
  ) -> LayoutEnvironment {
    LayoutEnvironment(
      LayoutContainer(
        size: Size(width: width, height: height),
        insets: insets,
        displayScale: scale,
        isRightToLeft: isRightToLeft
      ),
      traits: traits
    )
  }

  /// A list below 400 points, two columns below 800, else three.
  private static let columns = ResponsiveLayout(
    variants: [
      .init(LayoutCondition(widthBelow: 400), LayoutConfiguration(ListLayout())),
      .init(
        LayoutCondition(widthBelow: 800),
        LayoutConfiguration(WaterfallLayout(columns: .count(2)))
      ),
    ],
    otherwise: LayoutConfiguration(WaterfallLayout(columns: .count(3)))
  )

  @Test("the first condition that holds counts, and ranges are half-open")
  func first() {
    let layout = LayoutConfiguration(Self.columns)
    func columns(_ environment: LayoutEnvironment) -> WaterfallLayout.Columns? {
      (layout.resolved(in: environment).layout as? WaterfallLayout)?.columns
    }
    #expect(columns(environment(399.5)) == nil)
    #expect(columns(environment(400)) == .count(2))
    #expect(columns(environment(800)) == .count(3))
    // What insets cover is not part of the container.
    let insets = EdgeInsets(top: 0, leading: 1, bottom: 0, trailing: 0)
    #expect(columns(environment(800, insets: insets)) == .count(2))
    #expect(columns(environment(0, insets: insets)) == nil)
  }

  @Test("a layout that is not responsive is itself")
  func plain() {
    let list = LayoutConfiguration(ListLayout(), options: LayoutOptions(isPixelAligned: true))
    #expect(list.resolved(in: environment(1)) == list)
    #expect(!list.isResponsive && LayoutConfiguration(Self.columns).isResponsive)
  }

  @Test("conditions hold as a plain reading of them says", arguments: 0 ..< 20)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0 ..< 300 {
      let conditions = (0 ..< random.int(1 ... 6)).map { _ in random.condition() }
      let layout = ResponsiveLayout(
        variants: conditions.enumerated().map { index, condition in
          .init(condition, LayoutConfiguration(ListLayout(rowHeight: Double(index + 1))))
        },
        otherwise: LayoutConfiguration(ListLayout(rowHeight: 99))
      )
      let environment = random.environment()
      var expected = 99.0
      for (index, condition) in conditions.enumerated().reversed()
      where condition.reference(environment) {
        expected = Double(index + 1)
      }
      let found = LayoutConfiguration(layout).resolved(in: environment).layout as? ListLayout
      #expect(found?.rowHeight == expected, "\(conditions) \(environment)")
    }
  }

  @Test("traits that no condition names change nothing")
  func unusedTraits() {
    let layout = LayoutConfiguration(Self.columns)
    let traits = LayoutTraits(names: ["tv"], horizontalSizeClass: .regular)
    #expect(
      layout.resolved(in: environment(500, traits: traits))
        == layout.resolved(in: environment(500))
    )
  }

  private static let faults: [(field: String, layout: ResponsiveLayout)] = [
    ("variants", ResponsiveLayout(variants: [], otherwise: .init(ListLayout()))),
    (
      "variants",
      ResponsiveLayout(
        variants: Array(repeating: columns.variants[0], count: 17),
        otherwise: .init(ListLayout())
      )
    ),
    ("variants[0].condition", variant(LayoutCondition())),
    ("variants[0].condition.min_width", variant(LayoutCondition(minimumWidth: -1))),
    ("variants[0].condition.min_height", variant(LayoutCondition(minimumHeight: .nan))),
    ("variants[0].condition.below_width", variant(LayoutCondition(widthBelow: 0))),
    (
      "variants[0].condition.below_height",
      variant(LayoutCondition(minimumHeight: 5, heightBelow: 5))
    ),
    (
      "variants[0].condition.below_display_scale",
      variant(LayoutCondition(displayScaleBelow: .infinity))
    ),
    ("variants[0].condition.required_traits", variant(LayoutCondition(requiredTraits: [""]))),
    (
      "variants[0].condition.excluded_traits",
      variant(LayoutCondition(requiredTraits: ["a"], excludedTraits: ["a"]))
    ),
    (
      "variants[0].condition.required_traits",
      variant(LayoutCondition(requiredTraits: Set((0 ..< 17).map { "t\($0)" })))
    ),
    (
      "variants[0].layout.list.row_height",
      ResponsiveLayout(
        variants: [
          .init(LayoutCondition(minimumWidth: 1), LayoutConfiguration(ListLayout(rowHeight: -1)))
        ],
        otherwise: .init(ListLayout())
      )
    ),
    (
      "otherwise",
      ResponsiveLayout(variants: columns.variants, otherwise: LayoutConfiguration(columns))
    ),
  ]

  @Test("a faulty rule is named", arguments: faults)
  func violations(field: String, layout: ResponsiveLayout) {
    var findings = LayoutFindings()
    layout.validate(viewportSize: nil, findings: &findings)
    #expect(findings.violations.map(\.field) == [field])
  }

  private static func variant(_ condition: LayoutCondition) -> ResponsiveLayout {
    ResponsiveLayout(
      variants: [.init(condition, LayoutConfiguration(ListLayout()))],
      otherwise: LayoutConfiguration(ListLayout())
    )
  }

  @Test("only variants for such a viewport are held against its size")
  func warnings() {
    let wide = LayoutConfiguration(FlowLayout(itemSize: Size(width: 700, height: 50)))
    let layout = ResponsiveLayout(
      variants: [
        .init(LayoutCondition(minimumWidth: 800), wide),
        .init(LayoutCondition(minimumWidth: 600, requiredTraits: ["tv"]), wide),
        .init(LayoutCondition(minimumWidth: 400), LayoutConfiguration(ListLayout())),
      ],
      otherwise: wide
    )
    func fields(_ width: Double) -> [String] {
      var findings = LayoutFindings()
      layout.validate(viewportSize: Size(width: width, height: 480), findings: &findings)
      #expect(findings.violations.isEmpty)
      return findings.warnings.map { String($0.field.prefix { $0 != "." }) }
    }
    #expect(fields(900) == [])
    #expect(fields(650) == ["variants[1]"])
    #expect(fields(300) == ["otherwise"])
  }

  @Test("without being resolved first it is laid out by the variant for its container")
  func unresolved() {
    let contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 30)])])
    for width in [300.0, 500, 900] {
      let container = LayoutContainer(size: Size(width: width, height: 480))
      let plain = LayoutConfiguration(Self.columns).resolved(in: LayoutEnvironment(container))
      let context = LayoutContext(contents: contents, container: container)
      #expect(
        Self.columns.prepare(context).contentSize == plain.layout.prepare(context).contentSize
      )
    }
  }
}

extension SplitMix64 {
  /// Few values, so that many conditions are met at their bounds.
  private mutating func maybe() -> Double? { chance(25) ? Double(below(6)) * 100 : nil }

  private mutating func names() -> Set<String> {
    Set(["a", "b", "c"].filter { _ in chance(20) })
  }

  private mutating func sizeClass() -> SizeClass? {
    chance(30) ? chance(50) ? .compact : .regular : nil
  }

  fileprivate mutating func condition() -> LayoutCondition {
    LayoutCondition(
      minimumWidth: maybe(),
      widthBelow: maybe(),
      minimumHeight: maybe(),
      heightBelow: maybe(),
      minimumDisplayScale: chance(20) ? Double(int(1 ... 3)) : nil,
      displayScaleBelow: chance(20) ? Double(int(1 ... 4)) : nil,
      isRightToLeft: chance(20) ? chance(50) : nil,
      requiredTraits: names(),
      excludedTraits: names(),
      horizontalSizeClass: sizeClass(),
      verticalSizeClass: sizeClass()
    )
  }

  fileprivate mutating func environment() -> LayoutEnvironment {
    LayoutEnvironment(
      LayoutContainer(
        size: Size(width: Double(below(6)) * 100, height: Double(below(6)) * 100),
        insets: EdgeInsets(all: chance(30) ? 50 : 0),
        displayScale: Double(int(1 ... 3)),
        isRightToLeft: chance(50)
      ),
      traits: LayoutTraits(
        names: names(),
        horizontalSizeClass: sizeClass(),
        verticalSizeClass: sizeClass()
      )
    )
  }
}

extension LayoutCondition {
  /// Asks one thing after the other, as the contract lists them.
  fileprivate func reference(_ environment: LayoutEnvironment) -> Bool {
    let size = environment.contentSize
    if let minimumWidth, size.width < minimumWidth { return false }
    if let widthBelow, size.width >= widthBelow { return false }
    if let minimumHeight, size.height < minimumHeight { return false }
    if let heightBelow, size.height >= heightBelow { return false }
    if let minimumDisplayScale, environment.displayScale < minimumDisplayScale { return false }
    if let displayScaleBelow, environment.displayScale >= displayScaleBelow { return false }
    if let isRightToLeft, environment.isRightToLeft != isRightToLeft { return false }
    let traits = environment.traits
    for name in requiredTraits where !traits.names.contains(name) { return false }
    for name in excludedTraits where traits.names.contains(name) { return false }
    if let horizontalSizeClass, traits.horizontalSizeClass != horizontalSizeClass { return false }
    if let verticalSizeClass, traits.verticalSizeClass != verticalSizeClass { return false }
    return true
  }
}
