// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Contents as arrays of arrays, edited without any cleverness.
package struct ReferenceModel {
  package struct Item: Equatable {
    /// Stays with an item through moves and reconfigurations.
    package var identity: Int
    package var values: ItemValues
    /// The identity that a reload put this one in the place of.
    package var replaced: Int?
    package var isReconfigured = false
  }

  package struct Section {
    package var identity: Int
    package var key: String
    package var metrics = SectionMetrics()
    package var items: [Item]
    package var replaced: Int?
  }

  package var sections: [Section] = []
  package private(set) var nextIdentity = 0

  package mutating func item(_ values: ItemValues) -> Item {
    nextIdentity += 1
    return Item(identity: nextIdentity, values: values)
  }

  package mutating func section(_ contents: SectionContents) -> Section {
    nextIdentity += 1
    var section = Section(
      identity: nextIdentity,
      key: contents.key,
      metrics: contents.metrics,
      items: []
    )
    for i in 0 ..< contents.items.count { section.items.append(item(contents.items.item(at: i))) }
    return section
  }

  package init() {}

  package init(_ contents: CollectionContents) {
    for i in 0 ..< contents.sectionCount { sections.append(section(contents.section(at: i))) }
  }

  package static func values(_ block: ItemBlock) -> [ItemValues] {
    (0 ..< block.count).map { i in
      func at<T>(_ column: [T]) -> T? {
        column.count == 1 ? column[0] : column.isEmpty ? nil : column[i]
      }
      return ItemValues(
        width: at(block.widths),
        height: at(block.heights),
        x: at(block.xs),
        y: at(block.ys),
        cellKind: at(block.cellKinds) ?? 0,
        key: block.keys.isEmpty ? nil : block.keys[i],
        data: at(block.data) ?? ""
      )
    }
  }

  /// The model after a batch; nil = it cannot be applied.
  package func applying(_ operations: [UpdateOperation]) -> ReferenceModel? {
    var model = self
    for i in model.sections.indices {
      model.sections[i].replaced = nil
      for j in model.sections[i].items.indices {
        model.sections[i].items[j].replaced = nil
        model.sections[i].items[j].isReconfigured = false
      }
    }
    return model.apply(operations) ? model : nil
  }

  private mutating func apply(_ operations: [UpdateOperation]) -> Bool {
    enum Fate {
      case stays, goes
      case moves(Int)
      case reloads(Section)
      case metrics(SectionMetrics)
    }
    let before = sections
    var fates = Array(repeating: nil as Fate?, count: before.count)
    var placed: [Int: Section] = [:]
    func name(_ section: Int, _ fate: Fate) -> Bool {
      guard before.indices.contains(section), fates[section] == nil else { return false }
      fates[section] = fate
      return true
    }
    for operation in operations {
      switch operation {
      case .deleteSections(let range):
        for section in range where !name(section, .goes) { return false }
        if range.upperBound > before.count { return false }
      case .moveSection(let from, let to): if !name(from, .moves(to)) { return false }
      case .reloadSection(let section, let contents):
        if !name(section, .reloads(self.section(contents))) { return false }
      case .setSectionMetrics(let section, let metrics):
        if !name(section, .metrics(metrics)) { return false }
      default: break
      }
    }
    // Sections after the batch, each by what it was before: an index, or contents of its own.
    enum Source {
      case old(Int)
      case new(Section)
    }
    var targets: [Int: Source] = [:]
    for operation in operations {
      if case .insertSections(let at, let all) = operation {
        for (i, contents) in all.enumerated() {
          if targets.updateValue(.new(section(contents)), forKey: at + i) != nil { return false }
        }
      }
    }
    var staying: [Source] = []
    for (i, fate) in fates.enumerated() {
      switch fate {
      case .moves(let to): if targets.updateValue(.old(i), forKey: to) != nil { return false }
      case .goes: break
      case .reloads(var new):
        new.replaced = before[i].identity
        staying.append(.new(new))
      default: staying.append(.old(i))
      }
    }
    let count = targets.count + staying.count
    if targets.keys.contains(where: { $0 >= count }) { return false }
    var order: [Source] = []
    var rest = staying[...]
    for i in 0 ..< count {
      if let target = targets[i] { order.append(target) } else { order.append(rest.removeFirst()) }
    }
    guard
      let items = applyItems(
        operations,
        before,
        order.map { if case .old(let i) = $0 { i } else { nil } }
      )
    else { return false }
    sections = order.enumerated().map { new, source in
      switch source {
      case .new(let section): return section
      case .old(let i):
        var section = before[i]
        section.items = items[new] ?? []
        if case .metrics(let metrics) = fates[i] { section.metrics = metrics }
        return section
      }
    }
    placed.removeAll()
    return hasGoodKeys()
  }

  /// The items of each section after the batch that was there before.
  private mutating func applyItems(
    _ operations: [UpdateOperation],
    _ before: [Section],
    _ origin: [Int?]
  ) -> [Int: [Item]]? {
    var reloaded: Set<Int> = []
    for case .reloadSection(let section, _) in operations { reloaded.insert(section) }
    let alive = Set(origin.compactMap { $0 })
    var fates: [IndexPath: Item?] = [:]
    var targets: [IndexPath: Item] = [:]
    func inBounds(_ section: Int, _ items: Range<Int>) -> Bool {
      before.indices.contains(section) && items.lowerBound >= 0
        && items.upperBound <= before[section].items.count
    }
    for operation in operations {
      switch operation {
      case .deleteItems(let section, let range):
        guard inBounds(section, range), !reloaded.contains(section) else { return nil }
        for item in range where alive.contains(section) {
          let path = IndexPath(section: section, item: item)
          if fates.updateValue(nil, forKey: path) != nil { return nil }
        }
      case .reloadItems(let section, let range, let blocks),
        .reconfigureItems(let section, let range, let blocks):
        guard inBounds(section, range), !reloaded.contains(section) else { return nil }
        let values = blocks.flatMap(Self.values)
        let columns = blocks.flatMap { block in Array(repeating: block, count: block.count) }
        guard values.count == range.count else { return nil }
        for (i, item) in range.enumerated() where alive.contains(section) {
          let path = IndexPath(section: section, item: item)
          var new = before[section].items[item]
          if case .reloadItems = operation {
            new.replaced = new.identity
            nextIdentity += 1
            new.identity = nextIdentity
            let key = new.values.key
            new.values = values[i]
            if new.values.key == nil { new.values.key = key }
          } else {
            new.isReconfigured = true
            if let key = new.values.key, let other = values[i].key, key != other { return nil }
            new.values.width = values[i].width ?? new.values.width
            new.values.height = values[i].height ?? new.values.height
            new.values.x = values[i].x ?? new.values.x
            new.values.y = values[i].y ?? new.values.y
            new.values.key = values[i].key ?? new.values.key
            if !columns[i].cellKinds.isEmpty { new.values.cellKind = values[i].cellKind }
            if !columns[i].data.isEmpty { new.values.data = values[i].data }
          }
          if fates.updateValue(new, forKey: path) != nil { return nil }
        }
      case .moveItem(let from, let to):
        guard let item = from.item, inBounds(from.section, item ..< item + 1),
          !reloaded.contains(from.section),
          fates.updateValue(nil, forKey: from) == nil,
          targets.updateValue(before[from.section].items[item], forKey: to) == nil
        else { return nil }
      case .insertItems(let at, let blocks):
        for (i, values) in blocks.flatMap(Self.values).enumerated() {
          let path = IndexPath(section: at.section, item: (at.item ?? 0) + i)
          if targets.updateValue(item(values), forKey: path) != nil { return nil }
        }
      default: break
      }
    }
    for path in targets.keys
    where !origin.indices.contains(path.section) || origin[path.section] == nil {
      return nil
    }
    var result: [Int: [Item]] = [:]
    for (new, old) in origin.enumerated() {
      guard let old else { continue }
      var rest: [Item] = []
      for (i, item) in before[old].items.enumerated() {
        switch fates[IndexPath(section: old, item: i)] {
        case .some(.some(let new)): rest.append(new)
        case .some(.none): break
        case .none: rest.append(item)
        }
      }
      let count = rest.count + targets.keys.count { $0.section == new }
      var items: [Item] = []
      var next = rest[...]
      for i in 0 ..< count {
        if let target = targets[IndexPath(section: new, item: i)] {
          items.append(target)
        } else if let item = next.popFirst() {
          items.append(item)
        } else {
          return nil
        }
      }
      result[new] = items
    }
    return result
  }

  private func hasGoodKeys() -> Bool {
    let keys = sections.flatMap { $0.items.compactMap(\.values.key) }
    let sectionKeys = sections.map(\.key).filter { !$0.isEmpty }
    return Set(keys).count == keys.count && Set(sectionKeys).count == sectionKeys.count
      && (sectionKeys.isEmpty || sectionKeys.count == sections.count)
  }
}
