// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// Reads the parts of a call's request.
struct ItemsReader: Sendable {
  private(set) var start: Wire.PrepareLayoutStart?
  private(set) var items = ItemsToPlace()
  /// The number of each item before the change; nil = it is new or has new values.
  private(set) var was: [Int?] = []
  /// The index of each section before the change; nil = it is new.
  private(set) var sectionsWere: [Int?] = []
  private let itemLimit: Int
  /// The items before the change.
  private var old = ItemsToPlace()

  /// - Parameter itemLimit: the most items, and the most sections.
  init(itemLimit: Int) { self.itemLimit = itemLimit }

  /// Begins a request that describes its items as changes of these.
  mutating func begin(from old: ItemsToPlace) { self.old = old }

  /// Adds a part.
  ///
  /// - Throws: `RPCError` that says what is wrong with it.
  mutating func read(_ message: Wire.PrepareLayoutRequest) throws(RPCError) {
    switch message.part {
    case .start(let first): try begin(first)
    case .section(let header): try add(key: header.key, was: nil)
    case .items(let block): try add(block)
    case nil: throw Self.unknownPart
    }
  }

  /// Adds a part.
  ///
  /// - Throws: `RPCError` that says what is wrong with it.
  mutating func read(_ message: Wire.UpdatePlacementRequest) throws(RPCError) {
    switch message.part {
    case .start(let first): try begin(first.prepare)
    case .section(let section):
      try add(key: section.header.key, was: section.hasWas ? Int(section.was) : nil)
    case .kept(let run): try add(run)
    case .items(let block): try add(block)
    case nil: throw Self.unknownPart
    }
  }

  static let startMissing = fault("the first part of a request has to be its start")
  private static let unknownPart = fault("a request has no part that is known here")

  private mutating func begin(_ first: Wire.PrepareLayoutStart) throws(RPCError) {
    guard start == nil else { throw Self.fault("a second start came") }
    start = first
  }

  private mutating func add(key: String, was old: Int?) throws(RPCError) {
    guard start != nil else { throw Self.startMissing }
    try checkCount(items.sections.count, 1, "sections")
    guard old.map({ $0 < self.old.sections.count }) ?? true else {
      throw Self.fault(
        "section.was is \(old ?? 0); there were \(self.old.sections.count) sections"
      )
    }
    let next = items.items.count
    items.sections.append(ItemsToPlace.Section(key: key, items: next ..< next))
    sectionsWere.append(old)
  }

  private mutating func add(_ run: Wire.KeptItems) throws(RPCError) {
    let (section, first, count) = (Int(run.section), Int(run.first), Int(run.count))
    let had = old.sections.indices.contains(section) ? old.sections[section].items : 0 ..< 0
    guard count > 0, first + count <= had.count else {
      throw Self.fault(
        "kept has \(count) items from \(first) on of section \(section); it had \(had.count)"
      )
    }
    let last = try lastSection(adding: count)
    for number in had.lowerBound + first ..< had.lowerBound + first + count {
      var item = old.items[number]
      (item.section, item.index) = (last, items.items.count - items.sections[last].items.lowerBound)
      items.items.append(item)
      was.append(number)
    }
    endSection(last)
  }

  private mutating func add(_ block: Wire.ItemBlock) throws(RPCError) {
    let count = Int(block.count)
    let lengths = [
      ("widths", block.widths.count), ("heights", block.heights.count), ("xs", block.xs.count),
      ("ys", block.ys.count), ("cell_kinds", block.cellKinds.count), ("keys", block.keys.count),
    ]
    for (name, length) in lengths where length > 1 && length != count {
      throw Self.fault("items.\(name) has \(length) values; 0, 1 or \(count) are allowed")
    }
    let last = try lastSection(adding: count)
    let names = start.map { $0.cellKindNames.isEmpty ? [""] : $0.cellKindNames } ?? [""]
    let first = items.items.count - items.sections[last].items.lowerBound
    for offset in 0 ..< count {
      let kind = Int(block.cellKinds.value(at: offset) ?? 0)
      guard names.indices.contains(kind) else {
        throw Self.fault("items.cell_kinds has \(kind); there are \(names.count) names")
      }
      items.items.append(
        ItemsToPlace.Item(
          section: last,
          index: first + offset,
          width: block.widths.value(at: offset),
          height: block.heights.value(at: offset),
          x: block.xs.value(at: offset),
          y: block.ys.value(at: offset),
          kind: names[kind],
          key: block.keys.value(at: offset) ?? ""
        )
      )
      was.append(nil)
    }
    endSection(last)
  }

  private func lastSection(adding count: Int) throws(RPCError) -> Int {
    guard let last = items.sections.indices.last else {
      throw Self.fault("items came before a section")
    }
    try checkCount(items.items.count, count, "items")
    return last
  }

  private mutating func endSection(_ section: Int) {
    items.sections[section].items = items.sections[section].items.lowerBound ..< items.items.count
  }

  private func checkCount(_ count: Int, _ more: Int, _ name: String) throws(RPCError) {
    guard more <= itemLimit - count else {
      throw RPCError(
        code: .resourceExhausted,
        message: "\(count + more) \(name) came; at most \(itemLimit) are allowed"
      )
    }
  }

  private static func fault(_ description: String) -> RPCError {
    RPCError(code: .invalidArgument, message: description)
  }
}

extension Wire {
  fileprivate typealias KeptItems = CollectionLayout_V1_KeptItems
}

extension Array {
  /// The value at an offset of a column that is empty, or has one value for all items, or one for
  /// each.
  fileprivate func value(at offset: Int) -> Element? { count > 1 ? self[offset] : first }
}
