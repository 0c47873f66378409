// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

// Finishing a placement.
extension PlacementBuilder {
  /// Makes the placement, once all elements have been added.
  ///
  /// - Parameters:
  ///   - contentSize: in points.
  ///   - elementCount: how many elements the caller meant to add.
  ///   - kindNames: the names of the kinds of elements other than cells.
  ///   - cookie: identifies the placement to whatever placed it; empty = it has no name.
  ///   - work: told of the elements. Once it has stopped, nobody uses the result.
  /// - Throws: what is wrong with the elements as a whole.
  /// - Complexity: O(kinds), and O(elements) if something was placed before
  public consuming func finish(
    contentSize: Size,
    elementCount: UInt64,
    kindNames: [String],
    scrollAxis: ScrollAxis?,
    cookie: [UInt8] = [],
    within work: LayoutWork = .unlimited
  ) throws(PlacementFault) -> Placement {
    try checkCount(elementCount)
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
    if lostCount > 0 { compact(within: work) }
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

  private func checkCount(_ elementCount: UInt64) throws(PlacementFault) {
    let count = elements.count - lostCount
    guard count <= elementLimit else {
      throw PlacementFault("more than \(elementLimit) elements found")
    }
    guard elementCount == UInt64(clamping: count) else {
      throw PlacementFault(
        "element_count is \(elementCount), but \(count) elements were found"
      )
    }
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
  private mutating func compact(within work: LayoutWork) {
    var used: [LayoutElement] = []
    used.reserveCapacity(elements.count - lostCount)
    for (index, element) in elements.enumerated() {
      if index & 1023 == 1023, !work.proceed(1024) { break }
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
}
