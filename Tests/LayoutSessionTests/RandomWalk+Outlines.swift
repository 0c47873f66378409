// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionModel
@testable import LayoutSession

extension RandomWalkTests.Walk {
  /// Two outlines, of which one shares its expansions, and a section that is none.
  static func outlines(seed: UInt64) -> CollectionContents {
    var random = SplitMix64(seed: seed &+ 2000)
    var sections = CollectionContents.keyed(40, 25, 12).sections.map(\.contents)
    for (index, expansion) in [OutlineExpansion.perViewer, .shared].enumerated() {
      let count = sections[index].items.count
      var levels: [Int] = []
      for _ in 0 ..< count { levels.append(random.below((levels.last ?? -1) + 2)) }
      sections[index] = SectionContents(
        key: sections[index].key,
        outline: expansion,
        blocks: [
          ItemBlock(
            count: count,
            keys: sections[index].items.keys,
            outline: OutlineColumns(
              levels: levels,
              expanded: (0 ..< count).map { _ in random.chance(60) }
            )
          )
        ]
      )
    }
    return CollectionContents(sections: sections)
  }

  private mutating func randomKey() -> String {
    let section = contents.section(at: Int.random(in: 0 ..< contents.sectionCount, using: &random))
    return section.items.keys.randomElement(using: &random) ?? "nobody"
  }

  /// Expands and collapses some items.
  mutating func expand() {
    guard contents.sectionCount > 0 else { return }
    let keys = Set((0 ..< 3).map { _ in randomKey() }).sorted()
    let isExpanded = Bool.random(using: &random)
    scene.post(
      .outline(
        OutlineEvent(
          change: ExpansionChange(
            expanded: isExpanded ? keys : [],
            collapsed: isExpanded ? [] : keys,
            includesDescendants: Int.random(in: 0 ..< 4, using: &random) == 0
          ),
          isAnimated: Bool.random(using: &random)
        )
      )
    )
    // What the session commits by itself is committed here too.
    if !isShared { contents = scene.session.contents.whole }
  }

  /// Edits an outline by keys.
  mutating func editOutline() {
    guard contents.sectionCount > 0 else { return }
    nextKey += 1
    let block = ItemBlock(
      count: 2,
      heights: Bool.random(using: &random) ? [] : [Double(nextKey % 50)],
      keys: ["n\(nextKey)", "m\(nextKey)"],
      outline: OutlineColumns(levels: [0, 1], expanded: [Bool.random(using: &random)])
    )
    let key = randomKey()
    let edit: OutlineEdit =
      switch Int.random(in: 0 ..< 6, using: &random) {
      case 0: .insert(at: .lastChild(of: key), blocks: [block])
      case 1: .insert(at: .before(key), blocks: [block])
      case 2: .move(key: key, to: .after(randomKey()))
      case 3: .replaceChildren(parent: key, blocks: [block])
      default: .remove(keys: [key])
      }
    update(UpdateBatch(change: .outline([edit]), isAnimated: Bool.random(using: &random)))
  }

  /// Holds what the viewer sees against the rows that its expansions give, worked out anew.
  func checkOutlines() {
    let session = scene.session.contents
    let expected = session.whole.rows(showing: session.base.viewerExpansions)
    // Nobody has rows of its own who has expanded nothing of its own.
    let isOwn = session.base.expansionExceptionCount > 0 || session.isMeasured
    #expect(session.isDerived == isOwn || scene.session.movement != nil)
    #expect(session.effective.sectionCount == expected.sectionCount)
    for index in 0 ..< min(session.effective.sectionCount, expected.sectionCount) {
      let rows = session.effective.section(at: index).items
      #expect(rows.keys == expected.section(at: index).items.keys)
      for row in 0 ..< rows.count {
        let path = IndexPath(section: index, item: row)
        #expect(session.effective.wholePath(ofRow: path) == expected.wholePath(ofRow: path))
        #expect(
          session.effective.outlinePosition(ofRow: path) == expected.outlinePosition(ofRow: path)
        )
      }
    }
    let effective = session.effective
    for element in scene.client.slots.values where element.key.category == .cell {
      let position = effective.outlinePosition(ofRow: element.key.indexPath)
      #expect(element.outline == position.map { OutlineMark($0) } ?? .none)
    }
  }
}

extension ItemSequence {
  fileprivate var keys: [String] { (0 ..< count).map { item(at: $0).key ?? "" } }
}
