// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Some placed elements, column by column. A column is empty, or has one value for all elements, or one for
/// each.
public struct PlacedColumns: Hashable, Sendable {
  /// How many elements there are.
  public var count = 0
  /// Raw values of `ElementCategory`. Empty = all are cells.
  public var categories: [Int] = []
  /// Of elements that are no cells, indices into the names of their kinds. Empty = all 0.
  public var kinds: [UInt32] = []
  /// Empty = all 0.
  public var sections: [UInt32] = []
  /// −1 = the element belongs to the section. Empty = all −1.
  public var items: [Int32] = []
  /// Left edges. Empty = all 0, as in the following.
  public var xs: [Double] = []
  /// Top edges.
  public var ys: [Double] = []
  /// In points.
  public var widths: [Double] = []
  /// In points.
  public var heights: [Double] = []
  /// Empty = all 0.
  public var zIndices: [Int32] = []
  /// 0 to 1. Empty = all 1.
  public var alphas: [Double] = []

  /// No elements.
  public init() {}
}

/// Collects placed elements, and checks all that a placement promises.
public struct PlacementBuilder: Sendable {
  /// Coordinates and lengths are within it, in points.
  public static let furthest = 0x1p40
  /// The most names of kinds.
  public static let kindLimit = 1024
  /// The most bytes of the name of a kind.
  public static let kindBytes = 128
  /// The most bytes of a cookie.
  public static let cookieBytes = 4096

  private let contents: CollectionContents
  private let elementLimit: Int
  private let ordinals: ItemOrdinals
  private let kinds: CellKinds
  private let firstKind: Int
  private var elements: [LayoutElement] = []
  private var cells: [UInt32]
  private var others: [Placement.Place: UInt32] = [:]
  private var highestKind = -1
  /// The first so many elements were placed before, and are still in use unless something else has their place.
  private var keptCount = 0
  /// Elements that are not in use any more.
  private var lostCount = 0
  /// What the kinds are called of elements that were placed before.
  private var keptKindNames: [String] = []

  /// The memory that a builder takes at the beginning, in bytes: an estimate.
  ///
  /// - Parameter base: what was placed before; nil = nothing.
  public static func byteCount(for contents: CollectionContents, from base: Placement? = nil) -> Int
  {
    Placement.byteCount(
      elements: base?.elements.count ?? 0,
      items: contents.itemCount,
      others: base?.others.count ?? 0
    )
  }

  /// Begins with the elements of a placement that belong to what is kept.
  ///
  /// - Parameters:
  ///   - contents: the new ones.
  ///   - kept: what leads from the placement's contents to them.
  ///   - elementLimit: the most elements that are taken.
  /// - Complexity: O(elements · log n)
  public init(
    _ contents: CollectionContents,
    from base: Placement,
    _ kept: KeptItems,
    elementLimit: Int
  ) {
    self.init(contents, elementLimit: elementLimit)
    keptKindNames = base.kindNames
    highestKind = base.kindNames.count - 1
    elements.reserveCapacity(base.elements.count)
    let oldOrdinals = ItemOrdinals(base.contents)
    for run in kept.runs {
      for offset in 0 ..< run.count {
        guard let old = oldOrdinals.ordinal(of: run.old.advanced(by: offset)),
          let new = ordinals.ordinal(of: run.new.advanced(by: offset)), old < base.cells.count,
          base.cells[old] != Placement.missing
        else { continue }
        var element = base.elements[Int(base.cells[old])]
        element.indexPath = run.new.advanced(by: offset)
        element.kind = kinds.kind(at: element.indexPath)
        cells[new] = UInt32(clamping: elements.count)
        elements.append(element)
      }
    }
    keepOthers(of: base, kept)
    keptCount = elements.count
  }

  private mutating func keepOthers(of base: Placement, _ kept: KeptItems) {
    guard !base.others.isEmpty else { return }
    var sections: [Int: Int] = [:]
    for (new, old) in kept.sections.enumerated() { if let old { sections[old] = new } }
    let runs = kept.runs.sorted { $0.old < $1.old }
    for number in base.others.values {
      var element = base.elements[Int(number)]
      let path = element.indexPath
      if path.item == nil {
        guard let section = sections[path.section] else { continue }
        element.indexPath = IndexPath(section: section)
      } else {
        let next = runs.partitioningIndex { $0.old > path }
        guard next > 0, let offset = runs[next - 1].offset(ofOld: path) else { continue }
        element.indexPath = runs[next - 1].new.advanced(by: offset)
      }
      let kind = Int(element.kind) - base.contents.cellKindNames.count
      element.kind = UInt16(clamping: firstKind + kind)
      let place = Placement.Place(path: element.indexPath, rank: element.classRank)
      others[place] = UInt32(clamping: elements.count)
      elements.append(element)
    }
  }

  /// Begins without elements.
  ///
  /// - Parameter elementLimit: the most elements that are taken.
  /// - Complexity: O(sections), and O(items) of four bytes each
  public init(_ contents: CollectionContents, elementLimit: Int) {
    self.contents = contents
    self.elementLimit = min(elementLimit, Int(UInt32.max) - 1)
    ordinals = ItemOrdinals(contents)
    kinds = CellKinds(contents)
    firstKind = contents.cellKindNames.count
    cells = Array(repeating: Placement.missing, count: ordinals.count)
  }

  /// The memory that is taken so far, in bytes: an estimate.
  public var byteCount: Int {
    Placement.byteCount(elements: elements.count, items: cells.count, others: others.count)
  }

  /// Takes some of the elements, so that others may work before the rest.
  ///
  /// - Parameters:
  ///   - first: 0, then what the call before returned.
  ///   - limit: of elements.
  /// - Returns: the next one; nil = that was all.
  /// - Throws: what is wrong with the first one at fault.
  /// - Complexity: O(limit), at `first` 0 O(elements) for a sum of lengths besides
  public mutating func add(
    _ columns: PlacedColumns,
    from first: Int,
    atMost limit: Int
  ) throws(PlacementFault) -> Int? {
    if first == 0 {
      guard columns.count >= 0, columns.count <= elementLimit - (elements.count - keptCount) else {
        throw PlacementFault("more than \(elementLimit) elements found")
      }
      try columns.checkLengths()
    }
    let end = columns.count - first > limit ? first + limit : columns.count
    var index = first
    while index < end {
      try add(columns, at: index)
      index += 1
    }
    return end < columns.count ? end : nil
  }

  /// Drops elements that were placed before.
  ///
  /// - Parameter columns: of categories, kinds, sections and items.
  /// - Throws: what is wrong with the first one at fault.
  /// - Complexity: O(elements)
  public mutating func remove(_ columns: PlacedColumns) throws(PlacementFault) {
    guard columns.count >= 0, columns.count <= keptCount - lostCount else {
      throw PlacementFault(
        "removed.count is \(columns.count); at most \(keptCount - lostCount) elements are there"
      )
    }
    try columns.checkLengths()
    for index in 0 ..< columns.count {
      let place = try place(columns, at: index)
      guard let number = number(at: place), number < keptCount else {
        throw fault("removed", place.description, "what was placed before is")
      }
      set(nil, at: place)
      lostCount += 1
    }
  }

  /// All elements are there.
  ///
  /// - Parameters:
  ///   - contentSize: in points.
  ///   - elementCount: how many elements were meant to be taken.
  ///   - kindNames: what the kinds of elements that are no cells are called.
  ///   - cookie: names the placement to whatever placed it; empty = it has no name.
  /// - Throws: what is wrong with them together.
  /// - Complexity: O(kinds), and O(elements) if something was placed before
  public consuming func finish(
    contentSize: Size,
    elementCount: UInt64,
    kindNames: [String],
    scrollAxis: ScrollAxis?,
    cookie: [UInt8] = []
  ) throws(PlacementFault) -> Placement {
    let count = elements.count - lostCount
    guard count <= elementLimit else {
      throw PlacementFault("more than \(elementLimit) elements found")
    }
    guard elementCount == UInt64(clamping: count) else {
      throw PlacementFault(
        "element_count is \(elementCount), but \(count) elements were found"
      )
    }
    guard cookie.count <= Self.cookieBytes else {
      throw PlacementFault(
        "cookie has \(cookie.count) bytes; at most \(Self.cookieBytes) are allowed"
      )
    }
    for (name, length) in [("width", contentSize.width), ("height", contentSize.height)] {
      guard length >= 0, length <= Self.furthest else {
        throw PlacementFault("content_size.\(name) is \(length); 0 to 2^40 is allowed")
      }
    }
    try checkNames(kindNames)
    if lostCount > 0 { compact() }
    return Placement(
      contents: contents,
      elements: elements,
      contentSize: contentSize,
      kindNames: kindNames,
      scrollAxis: scrollAxis,
      cells: cells,
      others: others,
      cookie: cookie
    )
  }

  private func checkNames(_ kindNames: [String]) throws(PlacementFault) {
    guard kindNames.count <= Self.kindLimit else {
      throw PlacementFault(
        "kind_names has \(kindNames.count) names; at most \(Self.kindLimit) are allowed"
      )
    }
    guard kindNames.starts(with: keptKindNames) else {
      throw PlacementFault(
        "kind_names does not begin with the \(keptKindNames.count) names that were there"
      )
    }
    var names: Set<String> = []
    for (index, name) in kindNames.enumerated() {
      guard (1 ... Self.kindBytes).contains(name.utf8.count), names.insert(name).inserted else {
        throw PlacementFault(
          "kind_names[\(index)] is too long, empty, or there twice; 1 to \(Self.kindBytes) bytes are allowed"
        )
      }
    }
    guard highestKind < kindNames.count else {
      throw PlacementFault(
        "the kind \(highestKind) was found, but there are \(kindNames.count) kind_names"
      )
    }
  }

  /// Drops elements that are not in use any more.
  private mutating func compact() {
    var used: [LayoutElement] = []
    used.reserveCapacity(elements.count - lostCount)
    for (index, element) in elements.enumerated() {
      let place =
        element.category == .cell
        ? Place.cell(element.indexPath, ordinals.ordinal(of: element.indexPath) ?? 0)
        : .other(Placement.Place(path: element.indexPath, rank: element.classRank))
      guard number(at: place) == index else { continue }
      set(used.count, at: place)
      used.append(element)
    }
    elements = used
  }

  private mutating func add(_ columns: PlacedColumns, at index: Int) throws(PlacementFault) {
    let place = try place(columns, at: index)
    var element = LayoutElement(
      category: place.category,
      kind: place.kind,
      indexPath: place.path,
      frame: Rect(
        x: try bounded(columns.xs, "xs", at: index, from: -Self.furthest),
        y: try bounded(columns.ys, "ys", at: index, from: -Self.furthest),
        width: try bounded(columns.widths, "widths", at: index, from: 0),
        height: try bounded(columns.heights, "heights", at: index, from: 0)
      ),
      zIndex: columns.zIndices.value(at: index, orElse: 0)
    )
    let alpha = columns.alphas.value(at: index, orElse: 1)
    guard alpha >= 0, alpha <= 1 else { throw fault("alphas", "\(alpha)", "0 to 1 are") }
    element.alpha = alpha
    if let number = number(at: place) {
      guard number < keptCount else {
        throw PlacementFault(
          "element \(elements.count): the \(place) was placed before"
        )
      }
      lostCount += 1
    }
    if place.category == .cell { element.kind = kinds.kind(at: place.path) }
    set(elements.count, at: place)
    elements.append(element)
  }

  // MARK: - Places

  /// Where an element belongs.
  private enum Place: CustomStringConvertible {
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

  private func number(at place: Place) -> Int? {
    switch place {
    case .cell(_, let ordinal): cells[ordinal] == Placement.missing ? nil : Int(cells[ordinal])
    case .other(let place): others[place].map { Int($0) }
    }
  }

  private mutating func set(_ number: Int?, at place: Place) {
    let number = number.map { UInt32(clamping: $0) }
    switch place {
    case .cell(_, let ordinal): cells[ordinal] = number ?? Placement.missing
    case .other(let place): others[place] = number
    }
  }

  private mutating func place(
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
      throw fault("items", "\(item)", "indices below \(count) are in section \(section)")
    }
    return IndexPath(section: section, item: item)
  }

  private func bounded(
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

  private func fault(_ column: String, _ found: String, _ allowed: String) -> PlacementFault {
    PlacementFault(
      "\(column) of element \(elements.count): \(found) found; only \(allowed) allowed"
    )
  }
}

extension KeptItems.Run {
  /// How far an old item is behind the first one; nil = it is not of the run.
  fileprivate func offset(ofOld path: IndexPath) -> Int? {
    guard path >= old, path < old.advanced(by: count) else { return nil }
    return Int(clamping: path.rawValue - old.rawValue)
  }
}

extension PlacedColumns {
  fileprivate func checkLengths() throws(PlacementFault) {
    let lengths = [
      ("categories", categories.count), ("kinds", kinds.count), ("sections", sections.count),
      ("items", items.count), ("xs", xs.count), ("ys", ys.count), ("widths", widths.count),
      ("heights", heights.count), ("z_indices", zIndices.count), ("alphas", alphas.count),
    ]
    for (name, length) in lengths where length > 1 && length != count {
      throw PlacementFault(
        "the column \(name) has \(length) values; 0, 1 or \(count) are allowed"
      )
    }
  }
}

extension Array {
  /// The value for an element; `other` where the column is empty.
  fileprivate func value(at index: Int, orElse other: Element) -> Element {
    count > 1 ? self[index] : first ?? other
  }
}
