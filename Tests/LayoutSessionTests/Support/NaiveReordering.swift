// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

@testable import LayoutSession

/// Reordering by hand as the contract says it, in plain arrays of keys, with every cell looked at.
struct NaiveReordering {
  let layout: any CollectionLayout
  let container: LayoutContainer
  private(set) var sizes: [String: Size]
  var rules = MovementRules()
  /// The sections without a movement.
  private(set) var base: [[String]]
  private(set) var held: [String] = []
  /// Whether what is held comes from elsewhere.
  private(set) var isForeign = false
  /// Whether what is held is shown: from elsewhere, once a place has accepted it.
  private(set) var isShown = true
  /// The sections without what is held.
  private var rest: [[String]] = []
  private var section = 0
  private var gap = 0

  init(
    _ base: [[String]],
    sizes: [String: Size],
    layout: any CollectionLayout,
    size: Size
  ) {
    self.base = base
    self.sizes = sizes
    self.layout = layout
    container = layout.significantParts(of: LayoutContainer(size: size))
  }

  /// The sections with what is held where it is shown.
  var arranged: [[String]] {
    guard !held.isEmpty, isShown else { return base }
    var sections = rest
    sections[section].insert(contentsOf: held, at: gap)
    return sections
  }

  static func contents(_ sections: [[String]], sizes: [String: Size]) -> CollectionContents {
    CollectionContents(
      sections: sections.enumerated().map { index, keys in
        let block = ItemBlock(
          count: keys.count,
          widths: keys.map { sizes[$0]?.width ?? 0 },
          heights: keys.map { sizes[$0]?.height ?? 0 },
          keys: keys
        )
        return SectionContents(key: "section \(index)", blocks: keys.isEmpty ? [] : [block])
      }
    )
  }

  /// Items from elsewhere are held.
  mutating func bring(_ new: [String: Size], _ keys: [String]) {
    sizes.merge(new) { $1 }
    held = keys
    isForeign = true
    isShown = false
    rest = base
  }

  mutating func begin(_ keys: [String]) {
    held = keys
    isForeign = false
    isShown = true
    rest = base.map { $0.filter { !keys.contains($0) } }
    section = base.firstIndex { $0.contains(keys[0]) } ?? 0
    let lead = base[section].firstIndex(of: keys[0]) ?? 0
    gap = base[section][..<lead].count { !keys.contains($0) }
  }

  mutating func position(_ point: Point) {
    let shown = arranged
    let prepared = layout.prepare(
      LayoutContext(
        contents: Self.contents(shown, sizes: sizes),
        container: container,
        options: .init()
      )
    )
    let viewport = Viewport(offset: .zero, size: container.size)
    func frame(_ key: ElementKey) -> Rect? {
      prepared.attributes(of: key, viewport: viewport)?.frame
    }
    var found: [(section: Int, item: Int)] = []
    for (s, keys) in shown.enumerated() {
      for i in keys.indices where frame(.cell(s, i))?.contains(point) == true {
        found.append((s, i))
      }
    }
    if found.contains(where: { held.contains(shown[$0.section][$0.item]) }) { return }
    guard let cell = found.first else {
      let empty = shown.indices.first { s in
        guard shown[s].isEmpty else { return false }
        var area = frame(.supplementary("header", section: s))
        if let grid = layout as? GridLayout {
          let y = grid.lineSpacing + Double(s) * (grid.itemSize.height + grid.lineSpacing)
          area = Rect(x: 0, y: y, width: 0, height: grid.itemSize.height)
        }
        return area.map { point.y >= $0.minY && point.y < $0.maxY } ?? false
      }
      if let empty { go(to: empty, gap: 0) }
      return
    }
    let isBehind = isShown && cell.section == section && cell.item > gap
    go(to: cell.section, gap: isBehind ? cell.item - held.count + 1 : cell.item)
  }

  private mutating func go(to target: Int, gap: Int) {
    guard accepts(target) else { return }
    section = target
    self.gap = gap
    isShown = true
  }

  func accepts(_ target: Int) -> Bool {
    let strangers = held.count { !base[target].contains($0) }
    if rules.staysInSection, strangers > 0 { return false }
    guard !rules.targets.isEmpty else { return true }
    guard let rule = rules.targets.first(where: { $0.section == .index(target) }) else {
      return false
    }
    guard let most = rule.mostItems, strangers > 0 else { return true }
    return base[target].count + strangers <= most
  }

  mutating func target(_ target: Int, gap: Int) { go(to: target, gap: gap) }

  /// - Returns: whether anything has moved.
  mutating func end() -> Bool {
    let result = arranged
    let isMoved = result != base
    base = result
    held = []
    return isMoved
  }

  mutating func cancel() { held = [] }

  /// Somebody else deletes items and inserts one at the end of the first section.
  mutating func change(deleting: Set<String>, appending new: String, _ size: Size) {
    sizes[new] = size
    let kept = held.filter { !deleting.contains($0) }
    base = base.map { $0.filter { !deleting.contains($0) } }
    base[0].append(new)
    guard !isForeign || held.isEmpty else {
      rest = base
      isShown = isShown && accepts(section)
      gap = min(gap, rest[section].count)
      return
    }
    held = []
    if !kept.isEmpty { begin(kept) }
  }
}
