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

  private let contents: CollectionContents
  private let elementLimit: Int
  private let ordinals: ItemOrdinals
  private let kinds: CellKinds
  private let firstKind: Int
  private var elements: [LayoutElement] = []
  private var cells: [UInt32]
  private var others: [Placement.Place: UInt32] = [:]
  private var highestKind = -1

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

  /// Takes elements.
  ///
  /// - Throws: what is wrong with the first one at fault.
  /// - Complexity: O(elements)
  public mutating func add(_ columns: PlacedColumns) throws(PlacementFault) {
    guard columns.count >= 0, columns.count <= elementLimit - elements.count else {
      throw PlacementFault("more than \(elementLimit) elements found")
    }
    try columns.checkLengths()
    for index in 0 ..< columns.count { try add(columns, at: index) }
  }

  /// All elements are there.
  ///
  /// - Parameters:
  ///   - contentSize: in points.
  ///   - elementCount: how many elements were meant to be taken.
  ///   - kindNames: what the kinds of elements that are no cells are called.
  /// - Throws: what is wrong with them together.
  public func finish(
    contentSize: Size,
    elementCount: UInt64,
    kindNames: [String],
    scrollAxis: ScrollAxis?
  ) throws(PlacementFault) -> Placement {
    guard elementCount == UInt64(clamping: elements.count) else {
      throw PlacementFault(
        "element_count is \(elementCount), but \(elements.count) elements were found"
      )
    }
    for (name, length) in [("width", contentSize.width), ("height", contentSize.height)] {
      guard length >= 0, length <= Self.furthest else {
        throw PlacementFault("content_size.\(name) is \(length); 0 to 2^40 is allowed")
      }
    }
    guard kindNames.count <= Self.kindLimit else {
      throw PlacementFault(
        "kind_names has \(kindNames.count) names; at most \(Self.kindLimit) are allowed"
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
    return Placement(
      contents: contents,
      elements: elements,
      contentSize: contentSize,
      kindNames: kindNames,
      scrollAxis: scrollAxis,
      cells: cells,
      others: others
    )
  }

  private mutating func add(_ columns: PlacedColumns, at index: Int) throws(PlacementFault) {
    let category = columns.categories.value(at: index, orElse: 1)
    guard let category = UInt8(exactly: category).flatMap(ElementCategory.init(rawValue:)) else {
      throw fault("categories", "\(category)", "1 to 3 are")
    }
    let path = try path(columns, at: index, category)
    var element = LayoutElement(
      category: category,
      kind: 0,
      indexPath: path,
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
    let place = UInt32(clamping: elements.count)
    if category == .cell {
      // `path` has found the item.
      let ordinal = ordinals.ordinal(of: path) ?? 0
      guard cells[ordinal] == Placement.missing else { throw twice("cell", path) }
      element.kind = kinds.kind(at: path)
      cells[ordinal] = place
    } else {
      let kind = columns.kinds.value(at: index, orElse: 0)
      guard kind < Self.kindLimit else { throw fault("kinds", "\(kind)", "0 to 1023 are") }
      highestKind = max(highestKind, Int(kind))
      element.kind = UInt16(clamping: firstKind + Int(kind))
      let key = Placement.Place(path: path, rank: element.classRank)
      guard others.updateValue(place, forKey: key) == nil else {
        throw twice("\(category) of kind \(kind)", path)
      }
    }
    elements.append(element)
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

  private func twice(_ what: String, _ path: IndexPath) -> PlacementFault {
    PlacementFault("element \(elements.count): the \(what) of \(path) was placed before")
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
