// SPDX-License-Identifier: Apache-2.0

/// What an operation does with a range of places on one side of a batch.
struct PlaceClaim {
  enum Use {
    // In the old sequence:
    case delete
    case moveOut
    case reload
    case reconfigure
    /// New section metrics.
    case metrics
    // In the new sequence:
    case insert
    case moveIn(from: IndexPath)
  }

  /// The indices of the places in their sequence.
  var range: Range<Int>
  /// What happens there.
  var use: Use
  /// The index of the operation in the batch.
  var operation: Int
}

/// The changes of one sequence: of the list of sections, or of the items of one section.
struct SequencePlan {
  /// What is deleted or moved away; ranges count in the old sequence.
  var removals: [PlaceClaim] = []
  /// What is reloaded or reconfigured; ranges count in the old sequence.
  var replacements: [PlaceClaim] = []
  /// What is inserted or moved here; ranges count in the new sequence.
  var insertions: [PlaceClaim] = []

  /// Sorts all claims by where they begin.
  mutating func sort() {
    removals.sort { $0.range.lowerBound < $1.range.lowerBound }
    replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
    insertions.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// How many elements the sequence gains; negative = it shrinks.
  var growth: Int {
    insertions.reduce(0) { $0 + $1.range.count } - removals.reduce(0) { $0 + $1.range.count }
  }

  /// A splice, with what its new range contains.
  struct Part {
    /// What the new range of a splice contains.
    enum Content {
      /// What these insertions bring; a range of indices of `insertions`.
      case insertions(Range<Int>)
      /// Part of `replacements[index]`, from an offset on.
      case replacement(Int, offset: Int)
    }

    var splice: Splice
    var content: Content
  }

  /// The splices of all claims, in order.
  ///
  /// The rank of a place is the number of elements before it that stay. Removals and insertions
  /// with the same rank become one splice. A replacement is split where something is inserted into
  /// it.
  ///
  /// - Precondition: claims are sorted, disjoint on either side, and within the sequences.
  /// - Complexity: O(claims)
  func parts() -> [Part] {
    var parts: [Part] = []
    var (i, j, k) = (0, 0, 0)
    var (removed, inserted, replaced) = (0, 0, 0)
    // `Int.max` after the last claim. A bound is not below `before`, since claims are disjoint.
    func rank(_ claims: [PlaceClaim], _ index: Int, _ before: Int) -> Int {
      index < claims.count ? claims[index].range.lowerBound - before : Int.max
    }
    while i < removals.count || j < insertions.count || k < replacements.count {
      let edit = min(rank(removals, i, removed), rank(insertions, j, inserted))
      let replacement =
        rank(replacements, k, removed) == Int.max
        ? Int.max : replacements[k].range.lowerBound + replaced - removed
      if edit <= replacement {
        let (oldStart, newStart, firstInsertion) = (edit + removed, edit + inserted, j)
        while rank(removals, i, removed) == edit {
          removed += removals[i].range.count
          i += 1
        }
        while rank(insertions, j, inserted) == edit {
          inserted += insertions[j].range.count
          j += 1
        }
        let splice = Splice(old: oldStart ..< edit + removed, new: newStart ..< edit + inserted)
        parts.append(Part(splice: splice, content: .insertions(firstInsertion ..< j)))
      } else {
        let count = min(replacements[k].range.count - replaced, edit - replacement)
        let splice = Splice(
          old: replacement + removed ..< replacement + removed + count,
          new: replacement + inserted ..< replacement + inserted + count
        )
        parts.append(Part(splice: splice, content: .replacement(k, offset: replaced)))
        replaced += count
        if replaced == replacements[k].range.count {
          k += 1
          replaced = 0
        }
      }
    }
    return parts
  }

  /// How the identities on both sides of a part relate.
  func kind(of part: Part) -> SpliceKind {
    guard case .replacement(let index, _) = part.content else { return .edit }
    return kind(ofReplacement: index)
  }

  /// How the identities before and after a replacement relate.
  func kind(ofReplacement index: Int) -> SpliceKind {
    if case .reconfigure = replacements[index].use { return .reconfigure }
    return .reload
  }

  /// How the indices of the old and the new sequence correspond.
  ///
  /// - Parameter parts: those of this plan.
  func map(of parts: [Part]) -> SpliceMap {
    var map = SpliceMap()
    for part in parts { map.append(part.splice, kind(of: part)) }
    return map
  }
}
