// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The candidates that a client has been told of.
///
/// Candidates are identified by their items: their index paths follow the items through every
/// batch, like those of live elements.
struct PrefetchState: Sendable {
  private struct Candidate: Sendable {
    var path: IndexPath
    var number: UInt64
  }

  /// The state that the candidates were found for.
  struct View: Equatable {
    var viewport: Viewport
    var motion: Point
    var frame: UInt64
  }

  /// Sorted by current index path.
  private var candidates: [Candidate] = []
  /// Numbers of candidates that were deleted since the client was last told; at most as many as
  /// there were candidates.
  private var lost: [UInt64] = []
  private var lastNumber: UInt64 = 0
  /// The state of which the client was last told; nil = the options have changed since.
  var told: View?
  /// Whether the client has been told nothing on its stream.
  var isResetDue = true
  /// Whether finding the candidates took more than a small effort.
  var isCostly = false

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    MemoryLayout<PrefetchState>.size + 64 + candidates.capacity * MemoryLayout<Candidate>.stride
      + lost.capacity * MemoryLayout<UInt64>.stride
  }

  // MARK: - Identity

  /// Updates the index paths of all candidates after a change of the contents.
  ///
  /// - Complexity: O(candidates · log operations), and a sort if the order changes
  mutating func follow(_ change: ContentsChange) {
    var followed: [Candidate] = []
    followed.reserveCapacity(candidates.count)
    for candidate in candidates {
      if let path = change.newIndexPath(ofOld: candidate.path) {
        followed.append(Candidate(path: path, number: candidate.number))
      } else {
        lost.append(candidate.number)
      }
    }
    if change.hasMoves { followed.sort { $0.path < $1.path } }
    candidates = followed
  }

  /// Treats all items as deleted.
  mutating func loseAll() {
    lost += candidates.map(\.number)
    candidates = []
  }

  /// Begins a new stream, on which the client has been told nothing.
  mutating func restart() {
    lost = []
    told = nil
    isResetDue = true
  }

  // MARK: - Telling

  /// The difference from what the client knows.
  struct Difference {
    /// New candidates in order: the index among the candidates, and the number.
    var asked: [(index: Int, number: UInt64)] = []
    var shown: [UInt64] = []
    var cancelled: [UInt64] = []
  }

  /// Replaces the candidates.
  ///
  /// - Parameter paths: the paths of the new ones, in order.
  /// - Parameter isShown: whether the cell of an item is in sight.
  /// - Returns: what to tell the client; after `restart` all of it.
  /// - Complexity: O(candidates · log candidates)
  mutating func replace(
    by paths: [IndexPath],
    isShown: (IndexPath) -> Bool
  ) -> Difference {
    var difference = Difference()
    var next: [Candidate] = []
    next.reserveCapacity(paths.count)
    var isKept = [Bool](repeating: false, count: candidates.count)
    for (index, path) in paths.enumerated() {
      let number: UInt64
      if let known = known(path) {
        isKept[known] = true
        number = candidates[known].number
        if isResetDue { difference.asked.append((index, number)) }
      } else {
        lastNumber &+= 1
        number = lastNumber
        difference.asked.append((index, number))
      }
      next.append(Candidate(path: path, number: number))
    }
    if !isResetDue {
      difference.cancelled = lost
      for (index, candidate) in candidates.enumerated() where !isKept[index] {
        if isShown(candidate.path) {
          difference.shown.append(candidate.number)
        } else {
          difference.cancelled.append(candidate.number)
        }
      }
    }
    next.sort { $0.path < $1.path }
    candidates = next
    lost = []
    isResetDue = false
    return difference
  }

  /// The index of the candidate with this path.
  private func known(_ path: IndexPath) -> Int? {
    let index = candidates.partitioningIndex { $0.path >= path }
    return index < candidates.count && candidates[index].path == path ? index : nil
  }
}
