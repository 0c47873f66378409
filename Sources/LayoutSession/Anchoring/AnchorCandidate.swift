// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A cell that the client has and that may become the anchor: the cell that keeps its place on
/// screen.
struct AnchorCandidate: Sendable {
  /// The item's index path as the client knows it. Candidates of the same rank are tried in this
  /// order.
  var path: IndexPath
  /// The cell's frame as the client knows it, in content coordinates.
  var frame: Rect
  /// The item's current index path; nil = the item no longer exists.
  var current: IndexPath?
  /// Whether a move operation moved the item, rather than changes before it.
  var isMoved = false
  /// Whether the cell's size is an estimate, which the client may replace by measuring it.
  var isEstimated = false
}

/// The order in which candidates are tried as the anchor.
///
/// First come the cells in sight: those of known size that were not moved, then those of estimated
/// size, then moved ones, so that the user goes on looking at moved cells if there are no others.
/// Next come the cells after those in sight, and last the cells before them, the nearest first. For
/// an anchor at the end, "after" and "before" are exchanged.
struct AnchorOrder: Sendable {
  /// The viewport less its insets, in content coordinates.
  let sight: Rect
  /// Whether the anchor is the first cell in sight rather than the last.
  let isFirst: Bool
  /// The path of the first or last cell in sight, whether or not its item still exists.
  private let edge: IndexPath

  /// - Parameter isFirst: whether the anchor is the first cell in sight rather than the last.
  /// - Returns: nil = no candidate is in sight.
  init?(_ candidates: [AnchorCandidate], in sight: Rect, isFirst: Bool) {
    var edge: IndexPath?
    for candidate in candidates where candidate.frame.meets(sight) {
      let path = candidate.path
      edge = edge.map { isFirst ? min($0, path) : max($0, path) } ?? path
    }
    guard let edge else { return nil }
    self.edge = edge
    self.sight = sight
    self.isFirst = isFirst
  }

  /// The first candidate, in this order, that still exists and comes after `last`; nil = there is
  /// none.
  ///
  /// - Parameter last: the candidate that was tried last; nil = none was tried.
  /// - Complexity: O(n), without allocating. Sorting would cost more: mostly the first candidate is
  ///   taken.
  func next(of candidates: [AnchorCandidate], after last: AnchorCandidate?) -> AnchorCandidate? {
    var best: AnchorCandidate?
    for candidate in candidates where candidate.current != nil {
      if let last, !precedes(last, candidate) { continue }
      if let best, !precedes(candidate, best) { continue }
      best = candidate
    }
    return best
  }

  private func precedes(_ a: AnchorCandidate, _ b: AnchorCandidate) -> Bool {
    let (rankOfA, rankOfB) = (rank(a), rank(b))
    if rankOfA != rankOfB { return rankOfA < rankOfB }
    // Before the edge, the nearest candidate is the one with the highest path.
    return isFirst == (rankOfA < Self.before) ? a.path < b.path : a.path > b.path
  }

  /// The rank of candidates before the edge, the last ones to be tried.
  private static let before = 4

  /// 0 to 4: lower ranks are tried first.
  private func rank(_ candidate: AnchorCandidate) -> Int {
    guard candidate.frame.meets(sight) else {
      return (isFirst ? candidate.path >= edge : candidate.path <= edge) ? 3 : Self.before
    }
    return candidate.isMoved ? 2 : candidate.isEstimated ? 1 : 0
  }
}
