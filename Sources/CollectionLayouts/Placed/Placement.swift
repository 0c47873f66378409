// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Elements placed by something outside this package, for one version of some contents.
///
/// A class, so that layouts and their prepared forms share the elements.
public final class Placement: Sendable {
  /// What was placed.
  public let contents: CollectionContents
  /// The elements, in any order, none twice. The kinds of elements other than cells are numbered on
  /// from the contents' cell kinds, in the order of `kindNames`.
  public let elements: [LayoutElement]
  /// The size of the whole content, in points.
  public let contentSize: Size
  /// The names of the kinds of elements that are no cells.
  public let kindNames: [String]
  /// The axis along which content grows; nil = both axes or neither.
  public let scrollAxis: ScrollAxis?
  /// Names the placement to whatever placed it; empty = it has no name.
  public let cookie: [UInt8]
  /// The index in `elements` of each item's cell, by ordinal; `missing` if there is none.
  let cells: [UInt32]
  /// The index in `elements` of all others.
  let others: [Place: UInt32]

  /// The place of an element that is no cell.
  struct Place: Hashable, Sendable {
    let path: IndexPath
    let rank: UInt32
  }

  /// The index of an element that is not there.
  static let missing = UInt32.max

  init(
    contents: CollectionContents,
    elements: [LayoutElement],
    contentSize: Size,
    kindNames: [String],
    scrollAxis: ScrollAxis?,
    cells: [UInt32],
    others: [Place: UInt32],
    cookie: [UInt8] = []
  ) {
    self.contents = contents
    self.elements = elements
    self.contentSize = contentSize
    self.kindNames = kindNames
    self.scrollAxis = scrollAxis
    self.cells = cells
    self.others = others
    self.cookie = cookie
  }

  /// Contents without any placed elements.
  public static func empty(_ contents: CollectionContents) -> Placement {
    Placement(
      contents: contents,
      elements: [],
      contentSize: .zero,
      kindNames: [],
      scrollAxis: nil,
      cells: [],
      others: [:]
    )
  }

  /// The memory that it takes beyond the contents, in bytes: an estimate.
  public var byteCount: Int {
    Self.byteCount(elements: elements.count, items: cells.count, others: others.count)
      + kindNames.reduce(0) { $0 + 32 + $1.utf8.count } + cookie.count
  }

  static func byteCount(elements: Int, items: Int, others: Int) -> Int {
    128 + elements * MemoryLayout<LayoutElement>.stride + items * MemoryLayout<UInt32>.stride
      + others * 2 * (MemoryLayout<Place>.stride + MemoryLayout<UInt32>.stride)
  }

  /// The same elements after a change: those of items and sections that still exist keep their
  /// places. New items have none.
  ///
  /// - Parameter work: told of the elements. Once it has stopped, nobody uses the result.
  /// - Complexity: O(elements · log n)
  func following(_ change: ContentsChange, within work: LayoutWork) -> Placement {
    let kinds = CellKinds(change.new)
    let ordinals = ItemOrdinals(change.new)
    let shift = change.new.cellKindNames.count - contents.cellKindNames.count
    var kept: [LayoutElement] = []
    kept.reserveCapacity(elements.count)
    var cells = [UInt32](repeating: Self.missing, count: ordinals.count)
    var others: [Place: UInt32] = [:]
    for (index, element) in elements.enumerated() {
      if index & 1023 == 1023, !work.proceed(1024) { break }
      guard let path = change.newIndexPath(ofOld: element.indexPath) else { continue }
      var moved = element
      moved.indexPath = path
      let place = UInt32(clamping: kept.count)
      if element.category == .cell {
        guard let ordinal = ordinals.ordinal(of: path) else { continue }
        moved.kind = kinds.kind(at: path)
        cells[ordinal] = place
      } else {
        moved.kind = UInt16(clamping: Int(element.kind) + shift)
        others[Place(path: path, rank: moved.classRank)] = place
      }
      kept.append(moved)
    }
    return Placement(
      contents: change.new,
      elements: kept,
      contentSize: contentSize,
      kindNames: kindNames,
      scrollAxis: scrollAxis,
      cells: cells,
      others: others
    )
  }
}

extension Placement {
  /// The first difference from another placement of the same contents; nil = there is none. The
  /// order of elements and of the names of kinds does not count.
  ///
  /// - Complexity: O(elements · kinds)
  public func difference(from needed: Placement) -> PlacementFault? {
    if contentSize != needed.contentSize {
      return PlacementFault("content_size is \(contentSize); \(needed.contentSize) is needed")
    }
    if elements.count != needed.elements.count {
      return PlacementFault(
        "\(elements.count) elements found; \(needed.elements.count) are needed"
      )
    }
    let ordinals = ItemOrdinals(needed.contents)
    for element in elements {
      let name = name(of: element)
      guard let number = needed.number(of: element, named: name, ordinals) else {
        return PlacementFault("the \(name) of \(element.indexPath) is there; it must not be")
      }
      let other = needed.elements[number]
      let found = (element.frame, element.zIndex, element.alpha)
      if found != (other.frame, other.zIndex, other.alpha) {
        return PlacementFault(
          "the \(name) of \(element.indexPath) is at \(found.0), z \(found.1), alpha \(found.2); "
            + "\(other.frame), z \(other.zIndex), alpha \(other.alpha) are needed"
        )
      }
    }
    return nil
  }

  /// "cell", or the category and kind of another element.
  private func name(of element: LayoutElement) -> String {
    let kind = Int(element.kind) - contents.cellKindNames.count
    guard element.category != .cell, kindNames.indices.contains(kind) else { return "cell" }
    return "\(element.category) \(kindNames[kind])"
  }

  /// The index of the element in this placement that has the place of one in another.
  private func number(
    of element: LayoutElement,
    named name: String,
    _ ordinals: ItemOrdinals
  ) -> Int? {
    if element.category == .cell {
      guard let ordinal = ordinals.ordinal(of: element.indexPath),
        cells.indices.contains(ordinal), cells[ordinal] != Self.missing
      else { return nil }
      return Int(cells[ordinal])
    }
    for (index, kind) in kindNames.enumerated() where "\(element.category) \(kind)" == name {
      let number = UInt16(clamping: contents.cellKindNames.count + index)
      let rank = LayoutElement.classRank(element.category, kind: number)
      return others[Place(path: element.indexPath, rank: rank)].map { Int($0) }
    }
    return nil
  }
}

/// What is wrong with elements that something outside of this package placed.
public struct PlacementFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence without a full stop: what was found, and what is allowed.
  public let description: String

  /// A fault with this description.
  public init(_ description: String) { self.description = description }

  /// Nobody said how large the content is.
  public static let contentSizeMissing = PlacementFault("content_size is missing")
}
