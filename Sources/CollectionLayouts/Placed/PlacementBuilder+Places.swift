// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

// Where elements belong, and the checks of their columns.
extension PlacementBuilder {
  /// Where an element belongs.
  enum Place: CustomStringConvertible {
    /// An item, and its ordinal.
    case cell(IndexPath, Int)
    case other(Placement.Place)

    var path: IndexPath {
      switch self {
      case .cell(let path, _): path
      case .other(let place): place.path
      }
    }

    var category: ElementCategory {
      guard case .other(let place) = self else { return .cell }
      return place.rank >> 16 == UInt32(ElementCategory.supplementary.rawValue)
        ? .supplementary : .decoration
    }

    var kind: UInt16 {
      guard case .other(let place) = self else { return 0 }
      return UInt16(truncatingIfNeeded: place.rank)
    }

    var description: String { "\(category) of \(path)" }
  }

  func number(at place: Place) -> Int? {
    switch place {
    case .cell(_, let ordinal): cells[ordinal] == Placement.missing ? nil : Int(cells[ordinal])
    case .other(let place): others[place].map { Int($0) }
    }
  }

  mutating func set(_ number: Int?, at place: Place) {
    let number = number.map { UInt32(clamping: $0) }
    switch place {
    case .cell(_, let ordinal): cells[ordinal] = number ?? Placement.missing
    case .other(let place): others[place] = number
    }
  }

  mutating func place(
    _ columns: PlacedColumns,
    at index: Int
  ) throws(PlacementFault) -> Place {
    let category = columns.categories.value(at: index, orElse: 1)
    guard let category = UInt8(exactly: category).flatMap(ElementCategory.init(rawValue:)) else {
      throw fault("categories", "\(category)", "1 to 3 are")
    }
    let path = try path(columns, at: index, category)
    // `path` has found the item.
    guard category != .cell else { return .cell(path, ordinals.ordinal(of: path) ?? 0) }
    let kind = columns.kinds.value(at: index, orElse: 0)
    guard kind < Self.kindLimit else { throw fault("kinds", "\(kind)", "0 to 1023 are") }
    highestKind = max(highestKind, Int(kind))
    let number = UInt16(clamping: firstKind + Int(kind))
    return .other(
      Placement.Place(path: path, rank: LayoutElement.classRank(category, kind: number))
    )
  }

  private func path(
    _ columns: PlacedColumns,
    at index: Int,
    _ category: ElementCategory
  ) throws(PlacementFault) -> IndexPath {
    let section = Int(columns.sections.value(at: index, orElse: 0))
    guard section < contents.sectionCount else {
      throw fault("sections", "\(section)", "indices below \(contents.sectionCount) are")
    }
    let item = Int(columns.items.value(at: index, orElse: -1))
    if item == -1, category != .cell { return IndexPath(section: section) }
    let count = ordinals.starts[section + 1] - ordinals.starts[section]
    guard item >= 0, item < count else {
      throw fault("items", "\(item) in section \(section)", "indices below \(count) are")
    }
    return IndexPath(section: section, item: item)
  }

  func bounded(
    _ column: [Double],
    _ name: String,
    at index: Int,
    from least: Double
  ) throws(PlacementFault) -> Double {
    let value = column.value(at: index, orElse: 0)
    // Nothing that is not a number compares so.
    guard value >= least, value <= Self.furthest else {
      throw fault(name, "\(value)", "\(least < 0 ? "-2^40" : "0") to 2^40 are")
    }
    return value
  }

  func fault(_ column: String, _ found: String, _ allowed: String) -> PlacementFault {
    PlacementFault(
      "\(column) of element \(elements.count): \(found) found; only \(allowed) allowed"
    )
  }
}
