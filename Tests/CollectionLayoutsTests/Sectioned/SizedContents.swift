// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

extension SplitMix64 {
  /// Items of all sorts of sizes: none, equal, different, zero, wider than everything.
  mutating func block(items: ClosedRange<Int>, upTo longest: Double) -> ItemBlock {
    let count = int(items)
    func lengths(_ random: inout SplitMix64) -> [Double] {
      switch random.int(0 ... 5) {
      case 0: return []
      case 1: return [random.length(0 ... longest)]
      case 2: return (0 ..< count).map { _ in Double(random.int(1 ... 3)) * 32 }
      case 3: return (0 ..< count).map { _ in random.length(0 ... longest) }
      case 4: return (0 ..< count).map { _ in random.chance(10) ? 0 : random.double(5 ... 60) }
      default: return [Double(random.int(1 ... 4)) * 25]
      }
    }
    let widths = lengths(&self)
    let heights = lengths(&self)
    return ItemBlock(count: count, widths: widths, heights: heights)
  }

  mutating func sectionMetrics() -> SectionMetrics {
    var metrics = SectionMetrics()
    if chance(15) { metrics.inset = insets(0 ... 40) }
    if chance(15) { metrics.lineSpacing = length(0 ... 20) }
    if chance(15) { metrics.interitemSpacing = length(0 ... 20) }
    if chance(15) { metrics.headerSize = size(0 ... 40) }
    if chance(15) { metrics.footerSize = size(0 ... 40) }
    return metrics
  }

  mutating func sizedSection(blocks: Int = 3, items: Int = 30) -> SectionContents {
    SectionContents(
      metrics: sectionMetrics(),
      blocks: (0 ..< int(0 ... blocks)).map { _ in
        chance(8)
          ? ItemBlock(count: int(200 ... 900), widths: [40], heights: chance(50) ? [] : [30])
          : block(items: 1 ... items, upTo: chance(20) ? 900 : 120)
      }
    )
  }

  mutating func sizedContents(
    sections: ClosedRange<Int> = 0 ... 4,
    items: Int = 30
  )
    -> CollectionContents
  {
    CollectionContents(
      sections: (0 ..< int(sections)).map { _ in sizedSection(items: items) }
    )
  }

  mutating func sectionBackgrounds() -> [SectionBackground] {
    (0 ..< int(0 ... 2)).map { _ in
      SectionBackground(
        kind: chance(50) ? "card" : "bg",
        insets: insets(-20 ... 20),
        zIndex: int(-3 ... -1),
        sections: chance(50) ? nil : [0, 2],
        custom: chance(20) ? ["a": .bool(true)] : nil
      )
    }
  }

  mutating func options() -> LayoutOptions {
    LayoutOptions(
      sectionBackgrounds: chance(30) ? sectionBackgrounds() : [],
      isPixelAligned: chance(20)
    )
  }

  /// A batch of a few operations, which may turn out to be inconsistent.
  mutating func batch(for contents: CollectionContents, items: Int = 12) -> UpdateBatch {
    var operations: [UpdateOperation] = []
    for _ in 0 ..< int(1 ... 4) {
      guard contents.sectionCount > 0, !chance(12) else {
        operations.append(
          .insertSections(at: int(0 ... contents.sectionCount), [sizedSection(items: items)])
        )
        continue
      }
      let section = int(0 ... contents.sectionCount - 1)
      let count = contents.section(at: section).items.count
      let start = int(0 ... count)
      let range = start ..< min(count, start + int(0 ... 4))
      switch int(0 ... 11) {
      case 0 ... 3:
        operations.append(
          .insertItems(
            at: IndexPath(section: section, item: start),
            items: [block(items: 1 ... 5, upTo: 120)]
          )
        )
      case 4 ... 6: operations.append(.deleteItems(section: section, items: range))
      case 7:
        operations.append(
          .reconfigureItems(
            section: section,
            items: range,
            blocks: range.isEmpty
              ? [] : [block(items: range.count ... range.count, upTo: 120)]
          )
        )
      case 8:
        guard count > 0 else { continue }
        operations.append(
          .moveItem(
            from: IndexPath(section: section, item: int(0 ... count - 1)),
            to: IndexPath(section: section, item: int(0 ... count - 1))
          )
        )
      case 9: operations.append(.setSectionMetrics(section, sectionMetrics()))
      case 10: operations.append(.deleteSections(section ..< section + 1))
      default:
        operations.append(
          .moveSection(from: section, to: int(0 ... contents.sectionCount - 1))
        )
      }
    }
    return UpdateBatch(operations)
  }
}

extension CollectionContents {
  /// The widths and heights of a section's items.
  func sizes(ofSection index: Int) -> [(width: Double?, height: Double?)] {
    let items = section(at: index).items
    return (0 ..< items.count).map {
      let item = items.item(at: $0)
      return (item.width, item.height)
    }
  }
}

/// What a reference says that a layout should answer.
struct Reference {
  var contentSize = Size.zero
  private var decorationTolerance = 1e-6
  var elements: [ProbedElement] = []

  init(contentSize: Size = .zero) { self.contentSize = contentSize }

  mutating func add(
    _ category: ElementCategory,
    _ kind: String,
    _ path: IndexPath,
    _ frame: Rect,
    zIndex: Int = 0,
    custom: [String: CustomValue]? = nil
  ) {
    elements.append(
      ProbedElement(
        key: ElementKey(category: category, kind: kind, indexPath: path),
        attributes: LayoutAttributes(frame: frame, zIndex: zIndex, custom: custom)
      )
    )
  }

  /// Pixel alignment and the mirror, which come last.
  mutating func finish(_ container: LayoutContainer, _ options: LayoutOptions) {
    let grid = PixelGrid(scale: container.displayScale)
    if options.isPixelAligned { decorationTolerance = 1 / container.displayScale + 1e-6 }
    for index in elements.indices {
      var frame = elements[index].attributes.frame
      if options.isPixelAligned {
        frame = Rect(origin: grid.round(frame.origin), size: grid.round(frame.size))
      }
      if container.isRightToLeft { frame = frame.mirrored(inWidth: contentSize.width) }
      elements[index].attributes.frame = frame
    }
  }

  func check(_ prepared: any PreparedLayout, _ viewport: Viewport, _ note: String) {
    expectClose(
      Rect(origin: .zero, size: prepared.contentSize),
      Rect(origin: .zero, size: contentSize),
      note
    )
    let found = prepared.probed(in: .everywhere, viewport)
    let expected = Dictionary(uniqueKeysWithValues: elements.map { ($0.key, $0.attributes) })
    #expect(
      Set(found.map(\.key)) == Set(expected.keys),
      "\(Set(found.map(\.key)).symmetricDifference(expected.keys).prefix(3)): \(note)"
    )
    for element in found {
      guard let attributes = expected[element.key] else { continue }
      // Rounding a length that is a sum may go either way.
      let tolerance = element.key.category == .decoration ? decorationTolerance : 1e-6
      expectClose(
        element.attributes.frame,
        attributes.frame,
        tolerance: tolerance,
        "\(element.key) \(note)"
      )
      #expect(element.attributes.zIndex == attributes.zIndex, "\(element.key) \(note)")
      #expect(element.attributes.custom == attributes.custom, "\(element.key) \(note)")
    }
  }
}

/// A chain of random batches: each derived layout answers as one prepared from nothing.
func checkUpdates(
  _ layout: some CollectionLayout,
  _ context: LayoutContext,
  batches: Int,
  random: inout SplitMix64,
  _ note: String
) {
  var prepared = layout.prepare(context)
  for step in 0 ..< batches {
    let batch = random.batch(for: prepared.context.contents)
    guard
      let change = try? prepared.context.contents.applying(batch, limits: .standard)
    else { continue }
    prepared = layout.update(prepared, by: change)
    let fresh = layout.prepare(prepared.context)
    let viewport = Viewport(of: context.container, at: Point(x: 0, y: 100))
    var reference = Reference(contentSize: fresh.contentSize)
    reference.elements = fresh.probed(in: .everywhere, viewport)
    reference.check(prepared, viewport, "step \(step) of \(note)")
    if step == batches - 1 {
      prepared.checkConsistency(viewport, random: &random, "step \(step) of \(note)")
    }
  }
}
