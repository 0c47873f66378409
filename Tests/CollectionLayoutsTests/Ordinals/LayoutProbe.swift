// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

/// What a layout answered for one element.
struct ProbedElement: Hashable {
  var key: ElementKey
  var attributes: LayoutAttributes
}

extension Viewport {
  init(of container: LayoutContainer, at offset: Point = .zero) {
    self.init(
      offset: offset,
      size: container.size,
      insets: container.insets,
      isRightToLeft: container.isRightToLeft
    )
  }
}

extension PreparedLayout {
  func probed(in rect: Rect, _ viewport: Viewport) -> [ProbedElement] {
    var buffer = ElementBuffer()
    appendElements(in: rect, viewport: viewport, to: &buffer)
    buffer.sort()
    return buffer.elements.map {
      ProbedElement(
        key: ElementKey(
          category: $0.category,
          kind: kindNames[Int($0.kind)],
          indexPath: $0.indexPath
        ),
        attributes: buffer.attributes(of: $0)
      )
    }
  }

  func cell(_ section: Int, _ item: Int, _ viewport: Viewport) -> LayoutAttributes? {
    attributes(
      of: ElementKey(
        category: .cell,
        kind: "",
        indexPath: IndexPath(section: section, item: item)
      ),
      viewport: viewport
    )
  }

  /// The keys of all cells, from the contents.
  var cellKeys: [ElementKey] {
    var keys: [ElementKey] = []
    context.contents.forEachSection(in: 0 ..< context.contents.sectionCount) { index, section in
      for item in 0 ..< section.items.count {
        keys.append(
          ElementKey(
            category: .cell,
            kind: context.contents.cellKindNames[section.items.item(at: item).cellKind],
            indexPath: IndexPath(section: index, item: item)
          )
        )
      }
      return true
    }
    return keys
  }

  /// Every way of asking gives the same answer: a query of everything, of random rects, and of each
  /// element by itself.
  func checkConsistency(_ viewport: Viewport, random: inout SplitMix64, _ note: String) {
    let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)
    let all = probed(in: everywhere, viewport)
    #expect(Set(all.map(\.key)).count == all.count, "an element twice: \(note)")
    for element in all {
      #expect(
        attributes(of: element.key, viewport: viewport) == element.attributes,
        "on demand \(element.key): \(note)"
      )
      let box = element.attributes.boundingBox
      #expect(
        box.x.isFinite && box.y.isFinite && box.width.isFinite && box.height.isFinite
          && element.attributes.alpha >= 0 && element.attributes.alpha <= 1
          && !element.attributes.isHidden,
        "\(element): \(note)"
      )
    }
    let emitted = Set(all.filter { $0.key.category == .cell }.map(\.key))
    for key in cellKeys where !emitted.contains(key) {
      let attributes = attributes(of: key, viewport: viewport)
      #expect(
        attributes?.isHidden ?? true || attributes?.boundingBox.meets(everywhere) == false,
        "not in the query of everything: \(key): \(note)"
      )
    }
    #expect(contentSize.width.isFinite && contentSize.height.isFinite, "\(note)")
    #expect(contentSize.width >= 0 && contentSize.height >= 0, "\(note)")

    for _ in 0 ..< 6 {
      let area = Rect(
        x: viewport.offset.x - 600,
        y: viewport.offset.y - 600,
        width: viewport.size.width + 1200,
        height: viewport.size.height + 1200
      )
      let rect = Rect(
        x: random.length(area.minX ... area.maxX),
        y: random.length(area.minY ... area.maxY),
        width: random.chance(5) ? 0 : random.length(0 ... 800),
        height: random.chance(5) ? 0 : random.length(0 ... 800)
      )
      let expected = all.filter { $0.attributes.boundingBox.meets(rect) }
      #expect(probed(in: rect, viewport) == expected, "in \(rect): \(note)")
    }
  }
}

func expectClose(
  _ a: Double,
  _ b: Double,
  tolerance: Double = 1e-6,
  _ note: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(
    abs(a - b) <= tolerance * max(1, abs(b)),
    "\(a) is not \(b) \(note())",
    sourceLocation: sourceLocation
  )
}

func expectClose(
  _ a: Rect?,
  _ b: Rect,
  tolerance: Double = 1e-6,
  _ note: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  guard let a else {
    Issue.record("nothing instead of \(b) \(note())", sourceLocation: sourceLocation)
    return
  }
  let isClose = zip([a.x, a.y, a.width, a.height], [b.x, b.y, b.width, b.height])
    .allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($1)) }
  #expect(isClose, "\(a) is not \(b) \(note())", sourceLocation: sourceLocation)
}

/// One section of items that say nothing of themselves.
func plainContents(_ counts: Int...) -> CollectionContents {
  CollectionContents(
    sections: counts.map { SectionContents(blocks: $0 == 0 ? [] : [ItemBlock(count: $0)]) }
  )
}

/// The fields that a layout rejects.
func rejectedFields(_ layout: some CollectionLayout) -> [String] {
  var findings = LayoutFindings()
  layout.validate(viewportSize: nil, findings: &findings)
  return findings.violations.map(\.field)
}
