// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A cell that the client has, and where its item is by now.
struct AnchorCandidate: Sendable {
  /// Where the client was told that it is; candidates are tried in this order.
  var path: IndexPath
  var frame: Rect
  /// nil = its item is gone.
  var current: IndexPath?
  /// Whether somebody moved the item elsewhere, rather than changed what lies before it.
  var isMoved = false
  /// Whether it may come to have another size as soon as the client measures it.
  var isEstimated = false
}

/// In which order candidates are tried, for an anchor at the beginning of what is in sight or at its
/// end.
///
/// In sight come first those of known size that nobody moved, then estimated ones, then those that
/// were moved: if they are all that is left to look at, looking at them goes on. Beyond sight follow
/// the next that survive, then those before.
struct AnchorOrder: Sendable {
  let sight: Rect
  let isFirst: Bool
  /// The first or last in sight, whether or not it survives.
  private let edge: IndexPath

  /// - Returns: nil where nothing is in sight.
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

  /// The best candidate that survives and comes after `last`; nil = there is none left.
  ///
  /// - Complexity: O(n), without allocating; mostly the first one will do.
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
    // Of those before the edge the nearest comes first, which is the last.
    return isFirst == (rankOfA < Self.before) ? a.path < b.path : a.path > b.path
  }

  private static let before = 4

  private func rank(_ candidate: AnchorCandidate) -> Int {
    guard candidate.frame.meets(sight) else {
      return (isFirst ? candidate.path >= edge : candidate.path <= edge) ? 3 : Self.before
    }
    return candidate.isMoved ? 2 : candidate.isEstimated ? 1 : 0
  }
}
