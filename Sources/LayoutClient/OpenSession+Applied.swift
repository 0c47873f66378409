// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutProtocol

// What a session has applied, as the opening of the one that would follow it has it.

extension Wire.TableChange {
  /// The changes of columns after a newer one.
  func merged(with newer: Wire.TableChange) -> Wire.TableChange {
    var merged = newer.reset ? Wire.TableChange() : self
    merged.reset = false
    for column in newer.columns {
      merged.columns.removeAll { $0.id == column.id }
      merged.columns.append(column)
    }
    // Without fields a column is as the layout has it.
    merged.columns.removeAll { !$0.hasWidth && !$0.hasHidden && $0.place == .unspecified }
    if newer.hasOrder { merged.order = newer.order }
    return merged
  }
}

extension Wire.ExpansionState {
  /// More keys than servers accept by default would end the session where it could go on.
  private static let mostKeys = 10_000

  /// What is expanded after a change. What is below the items that it names is not known here, nor
  /// which items are in slots.
  func merged(with change: Wire.OutlineChange) -> Wire.ExpansionState {
    var merged = self
    // Keys that look the same may be those of two items.
    let named = Set((change.expand + change.collapse).map(ExactText.init))
    merged.expanded.removeAll { named.contains(ExactText($0)) }
    merged.collapsed.removeAll { named.contains(ExactText($0)) }
    merged.expanded += Set(change.expand.map(ExactText.init)).map(\.text).sorted()
    merged.collapsed += Set(change.collapse.map(ExactText.init)).map(\.text).sorted()
    let extra = max(0, merged.expanded.count + merged.collapsed.count - Self.mostKeys)
    if merged.expanded.count > merged.collapsed.count {
      merged.expanded.removeFirst(min(extra, merged.expanded.count))
    } else {
      merged.collapsed.removeFirst(min(extra, merged.collapsed.count))
    }
    return merged
  }
}
