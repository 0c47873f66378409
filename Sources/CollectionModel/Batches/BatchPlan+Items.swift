// SPDX-License-Identifier: Apache-2.0

extension BatchPlan {
  /// What happens to the old section that an operation on items names.
  private enum Owner {
    /// It stays, with this old index.
    case section(Int)
    /// It is deleted: the operation is ignored.
    case none
    /// It is reloaded: the operation is refused.
    case refused
  }

  /// Assigns each operation on items to its section, and reports indices that are out of range or
  /// named twice.
  mutating func planItems() {
    for (i, operation) in operations.enumerated() where !violations.isFull {
      switch operation {
      case .insertItems(let at, let blocks):
        claimInsertion(at, count: blocks.reduce(0) { $0 + $1.count }, .insert, i)
      case .deleteItems(let section, let range):
        claimOld(section, wholeTrees(range, of: section), .delete, i)
      case .moveItem(let from, let to):
        claimMove(from: from, to: to, i)
      case .reloadItems(let section, let range, _):
        claimOld(section, range, .reload, i)
      case .reconfigureItems(let section, let range, _):
        claimOld(section, range, .reconfigure, i)
      case .insertSections, .deleteSections, .moveSection, .reloadSection, .setSectionMetrics:
        break
      }
    }
    guard violations.isEmpty else { return }
    for section in items.keys.sorted() { finishItems(of: section) }
    for section in rescued.keys.sorted() {
      let claims = (rescued[section] ?? []).sorted { $0.range.lowerBound < $1.range.lowerBound }
      checkDisjoint(claims, "item", in: section, isOldSide: true)
      rescued[section] = claims
    }
    itemMoves.sort { $0.old < $1.old }
    if !keepsTrees { joinMoves() }
  }

  /// Makes one move of those of neighbours that are neighbours again: each step of a preview moves
  /// up to a thousand rows that lie together, and sessions keep some steps.
  private mutating func joinMoves() {
    var joined: [PlaceMove] = []
    for move in itemMoves {
      if let last = joined.last, last.continues(with: move) {
        joined[joined.count - 1].count += move.count
      } else {
        joined.append(move)
      }
    }
    itemMoves = joined
  }

  /// Sorts the claims on the items of one section and reports those that overlap or are out of
  /// range.
  ///
  /// - Parameter section: by its old index.
  private mutating func finishItems(of section: Int) {
    guard var plan = items[section] else { return }
    plan.sort()
    let old = (plan.removals + plan.replacements).sorted {
      $0.range.lowerBound < $1.range.lowerBound
    }
    checkDisjoint(old, "item", in: section, isOldSide: true)
    guard case .stays(let new) = target(ofOld: section) else { return }
    checkDisjoint(plan.insertions, "item", in: new, isOldSide: false)
    let count = contents.sections[section].summary.itemCount + plan.growth
    checkBounds(plan.insertions, count: count, "item", in: new)
    plan.insertions.removeAll { $0.range.isEmpty }
    items[section] = plan
  }

  /// - Parameter section: an old index, which has been checked.
  private func owner(ofOld section: Int) -> Owner {
    switch target(ofOld: section) {
    case .deleted: .none
    case .reloaded: .refused
    case .stays: .section(section)
    }
  }

  /// Reports a range that is not within a section before the batch.
  ///
  /// - Returns: whether it is.
  private mutating func checkOld(_ section: Int, _ range: Range<Int>, _ operation: Int) -> Bool {
    guard section >= 0, section < contents.sectionCount else {
      violations.add(
        .indexOutOfRange,
        field(operation, isOldSide: true),
        "section \(section); there are \(contents.sectionCount) before the batch"
      )
      return false
    }
    let count = contents.sections[section].summary.itemCount
    guard range.lowerBound >= 0, range.upperBound <= count else {
      violations.add(
        .indexOutOfRange,
        field(operation, isOldSide: true),
        "\(described(range, "item")) of section \(section); there are \(count) before the batch"
      )
      return false
    }
    return true
  }

  /// A range with all descendants of its items, if they are in an outline. Invalid ranges stay as
  /// they are: they are refused later.
  private func wholeTrees(_ range: Range<Int>, of section: Int) -> Range<Int> {
    guard keepsTrees, contents.hasOutlines, section >= 0, section < contents.sectionCount else {
      return range
    }
    let section = contents.section(at: section)
    guard section.outline != nil, range.lowerBound >= 0, range.upperBound <= section.items.count,
      let level = section.items.lowestLevel(in: range)
    else { return range }
    return range.lowerBound
      ..< section.items.firstIndex(from: range.upperBound, upToLevel: level)
  }

  /// Notes that an operation deletes, reloads or reconfigures a range of old items.
  private mutating func claimOld(
    _ section: Int,
    _ range: Range<Int>,
    _ use: PlaceClaim.Use,
    _ operation: Int
  ) {
    guard checkOld(section, range, operation) else { return }
    switch owner(ofOld: section) {
    case .none: break
    case .refused: refuseInReloaded(section, operation, isOldSide: true)
    case .section(let section):
      guard !range.isEmpty else { return }
      let claim = PlaceClaim(range: range, use: use, operation: operation)
      if case .delete = use {
        items[section, default: SequencePlan()].removals.append(claim)
      } else {
        items[section, default: SequencePlan()].replacements.append(claim)
      }
    }
  }

  /// Notes that an operation moves an item. The section that it leaves may be deleted by the same
  /// batch; the item is not.
  private mutating func claimMove(from: IndexPath, to: IndexPath, _ operation: Int) {
    guard let item = from.item, let target = to.item else {
      violations.add(
        .fieldInvalid,
        field(operation, isOldSide: from.item == nil),
        "no item; a whole section is moved by move_section"
      )
      return
    }
    guard checkOld(from.section, item ..< item + 1, operation) else { return }
    let moved = wholeTrees(item ..< item + 1, of: from.section)
    let claim = PlaceClaim(range: moved, use: .moveOut, operation: operation)
    switch owner(ofOld: from.section) {
    case .none: rescued[from.section, default: []].append(claim)
    case .refused:
      refuseInReloaded(from.section, operation, isOldSide: true)
      return
    case .section(let section): items[section, default: SequencePlan()].removals.append(claim)
    }
    claimInsertion(
      IndexPath(section: to.section, item: target),
      count: moved.count,
      .moveIn(from: from),
      operation
    )
    itemMoves.append(PlaceMove(old: from, new: to, count: moved.count, kind: .edit))
  }

  /// Notes that an operation inserts items, or moves one here.
  ///
  /// - Parameter at: counted after the batch.
  /// - Parameter count: at most `limits.items`, since `checkFields` refuses more. An index has 32
  ///   bits, so the end of the range does not overflow.
  private mutating func claimInsertion(
    _ at: IndexPath,
    count: Int,
    _ use: PlaceClaim.Use,
    _ operation: Int
  ) {
    guard let item = at.item else {
      violations.add(
        .fieldInvalid,
        field(operation, isOldSide: false),
        "no item; a place among items is needed"
      )
      return
    }
    guard at.section < sectionCountAfter else {
      violations.add(
        .indexOutOfRange,
        field(operation, isOldSide: false),
        "section \(at.section); there are \(sectionCountAfter) after the batch"
      )
      return
    }
    switch source(ofNew: at.section) {
    case .inserted:
      violations.add(
        .batchInconsistent,
        field(operation, isOldSide: false),
        "section \(at.section) is inserted by this batch; its items belong to its own contents"
      )
    case .reloaded: refuseInReloaded(at.section, operation, isOldSide: false)
    case .stays(let section):
      items[section, default: SequencePlan()].insertions.append(
        PlaceClaim(range: item ..< item + count, use: use, operation: operation)
      )
    }
  }

  /// Reports an operation on items of a section that the batch reloads.
  private mutating func refuseInReloaded(_ section: Int, _ operation: Int, isOldSide: Bool) {
    violations.add(
      .batchInconsistent,
      field(operation, isOldSide: isOldSide),
      "section \(section) is reloaded by this batch; its items belong to its new contents"
    )
  }
}

extension PlaceMove {
  /// Whether a move of items begins where this one ends, before the batch and after it.
  fileprivate func continues(with next: PlaceMove) -> Bool {
    kind == next.kind && next.old.rawValue == old.rawValue + UInt64(count)
      && next.new.rawValue == new.rawValue + UInt64(count)
  }
}
