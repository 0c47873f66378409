// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Movements while a session follows several versions at once: held items are put back before the
/// first and shown again after the last, because each of these takes time for every item.
extension ViewportSession {
  /// Follows changes while held items are put back.
  ///
  /// - Parameters:
  ///   - steps: the changes to follow, in order.
  ///   - follow: follows one of them, and returns what it does to all items.
  mutating func withMovementSuspended<Steps: Collection>(
    over steps: Steps,
    _ follow: (inout ViewportSession, Steps.Element) -> ContentsChange
  ) {
    var held = steps.isEmpty ? nil : suspendMovement()
    var left = steps.count
    let foreignKeys =
      left > 1 ? Set((held?.foreign?.value.items.keys ?? []).map { ExactText($0) }) : []
    for step in steps {
      let change = follow(&self, step)
      left -= 1
      guard let state = held else { continue }
      switch left > 0 ? outcome(of: state, after: change, foreignKeys) : .mustBeShown {
      case .continues(let next): held = next
      case .ends: held = nil
      case .mustBeShown:
        resumeMovement(state, after: change)
        held = left > 0 ? suspendMovement() : nil
      }
    }
  }

  /// What becomes of a suspended movement by a change that is followed by others.
  private enum SuspensionOutcome {
    /// The movement as it would be if it were shown in between.
    case continues(MovementState)
    /// The movement ends.
    case ends
    /// It has to be shown in between, because the outcome depends on the neighbouring rows.
    case mustBeShown
  }

  /// What would become of a movement that is shown after a change and put back.
  ///
  /// - Parameter foreignKeys: the keys of items from elsewhere.
  private func outcome(
    of held: MovementState,
    after change: ContentsChange,
    _ foreignKeys: Set<ExactText>
  ) -> SuspensionOutcome {
    if held.foreign != nil {
      // The batch may be the one that they are dropped with, where they arrive.
      guard held.committing == nil else { return .mustBeShown }
      return suspendedForeign(held, after: change, keys: foreignKeys).map { .continues($0) }
        ?? .ends
    }
    guard held.committing == nil,
      let (items, level) = heldItems(itemsLeft(of: held, after: change)), let lead = items.first
    else { return .ends }
    // Rows are not looked for until it is shown.
    var next = MovementState(items: items, path: lead.row, level: level, rows: HeldRows([]))
    next.position = held.position
    next.wish = held.wish
    guard let target = held.target else { return .continues(next) }
    // In outlines the place depends on the neighbours.
    guard level == nil else { return .mustBeShown }
    let old = IndexPath(section: target.section)
    guard let section = change.newIndexPath(ofOld: old)?.section, accepts(section, next) else {
      return .continues(next)
    }
    let others =
      contents.base.section(at: section).items.count - items.count { $0.row.section == section }
    next.target = IndexPath(section: section, item: min(target.item ?? 0, others))
    next.wish = DropPreference(level: held.wish.level)
    return .continues(next)
  }
}
