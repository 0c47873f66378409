// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

/// Collects placed elements, and checks all that a placement promises.
public struct PlacementBuilder: Sendable {
  /// Coordinates and lengths are within it, in points.
  public static let furthest = Rect.greatestLength
  /// The most names of kinds.
  public static let kindLimit = 1024
  /// The most bytes of the name of a kind.
  public static let kindBytes = 128
  /// The most bytes of a cookie.
  public static let cookieBytes = 4096

  let contents: CollectionContents
  let elementLimit: Int
  let ordinals: ItemOrdinals
  let kinds: CellKinds
  let firstKind: Int
  var elements: [LayoutElement] = []
  var cells: [UInt32]
  var others: [Placement.Place: UInt32] = [:]
  var highestKind = -1
  /// This many elements at the start were placed before; each is still used unless something else
  /// has its place.
  var keptCount = 0
  /// Elements that are not in use any more.
  var lostCount = 0
  /// What the kinds are called of elements that were placed before.
  var keptKindNames: [String] = []

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

  /// About how many steps `finish` takes, each that of an element.
  public var finishingCost: Int { lostCount > 0 ? elements.count : 0 }

  /// The memory that is taken so far, in bytes: an estimate.
  public var byteCount: Int {
    Placement.byteCount(elements: elements.count, items: cells.count, others: others.count)
  }

  /// The memory that is taken at most once all of some elements are added, in bytes: an estimate.
  public func byteCount(with columns: PlacedColumns) -> Int {
    // More are refused.
    let added = max(0, min(columns.count, elementLimit))
    return Placement.byteCount(
      elements: elements.count + added,
      items: cells.count,
      others: others.count + (columns.categories.isEmpty ? 0 : added)
    )
  }

  /// Checks how many elements there are, and the lengths of their columns, as `add` does first.
  ///
  /// - Throws: what is wrong.
  /// - Complexity: O(1)
  public func check(_ columns: PlacedColumns) throws(PlacementFault) {
    guard columns.count >= 0, columns.count <= elementLimit - (elements.count - keptCount) else {
      throw PlacementFault("more than \(elementLimit) elements found")
    }
    try columns.checkLengths()
  }

  /// Adds some of the elements, so that other work may run before the rest.
  ///
  /// - Parameters:
  ///   - first: 0, then what the previous call returned.
  ///   - limit: the most elements to add.
  /// - Returns: the next one to add; nil = all are added.
  /// - Throws: what is wrong with the first element at fault.
  /// - Complexity: O(limit)
  public mutating func add(
    _ columns: PlacedColumns,
    from first: Int,
    atMost limit: Int
  ) throws(PlacementFault) -> Int? {
    if first == 0 { try check(columns) }
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
  /// - Parameters:
  ///   - columns: categories, kinds, sections and items.
  ///   - work: told of the elements. Once it has stopped, nobody uses the builder.
  /// - Throws: what is wrong with the first element at fault.
  /// - Complexity: O(elements)
  public mutating func remove(
    _ columns: PlacedColumns,
    within work: LayoutWork = .unlimited
  ) throws(PlacementFault) {
    guard columns.count >= 0, columns.count <= keptCount - lostCount else {
      throw PlacementFault(
        "removed.count is \(columns.count); at most \(keptCount - lostCount) elements are there"
      )
    }
    try columns.checkLengths()
    for index in 0 ..< columns.count {
      if index & 1023 == 1023, !work.proceed(1024) { return }
      let place = try place(columns, at: index)
      guard let number = number(at: place), number < keptCount else {
        throw fault("removed", place.description, "what was placed before is")
      }
      set(nil, at: place)
      lostCount += 1
    }
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
}
