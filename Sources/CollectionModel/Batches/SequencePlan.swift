// SPDX-License-Identifier: Apache-2.0

/// What an operation does with a range of places on one side of a batch.
struct PlaceClaim {
  enum Use {
    // In the old sequence:
    case delete
    case moveOut
    case reload
    case reconfigure
    case metrics
    // In the new sequence:
    case insert
    case moveIn(from: IndexPath)
  }

  var range: Range<Int>
  var use: Use
  /// The index of the operation.
  var operation: Int
}

/// Changes to one sequence, of sections or of the items of a section.
struct SequencePlan {
  /// Deleted or moved away, by old place.
  var removals: [PlaceClaim] = []
  /// Reloaded or reconfigured, by old place.
  var replacements: [PlaceClaim] = []
  /// Inserted or moved here, by new place.
  var insertions: [PlaceClaim] = []

  mutating func sort() {
    removals.sort { $0.range.lowerBound < $1.range.lowerBound }
    replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
    insertions.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  var growth: Int {
    insertions.reduce(0) { $0 + $1.range.count } - removals.reduce(0) { $0 + $1.range.count }
  }

  /// A splice with what stands in its new range.
  struct Part {
    enum Content {
      /// Of these insertions, by index.
      case insertions(Range<Int>)
      /// Of a replacement, from an offset on.
      case replacement(Int, offset: Int)
    }

    var splice: Splice
    var content: Content
  }

  /// The splices, in order.
  ///
  /// Both sides are led back to ranks among the places that survive: what is removed and what is
  /// inserted before the same survivor makes one splice.
  ///
  /// - Precondition: sorted, disjoint on either side, and within the sequences.
  func parts() -> [Part] {
    var parts: [Part] = []
    var (i, j, k) = (0, 0, 0)
    var (removed, inserted, replaced) = (0, 0, 0)
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

  func kind(of part: Part) -> SpliceKind {
    guard case .replacement(let index, _) = part.content else { return .edit }
    return kind(ofReplacement: index)
  }

  func kind(ofReplacement index: Int) -> SpliceKind {
    if case .reconfigure = replacements[index].use { return .reconfigure }
    return .reload
  }

  func map(of parts: [Part]) -> SpliceMap {
    var map = SpliceMap()
    for part in parts { map.append(part.splice, kind(of: part)) }
    return map
  }
}
