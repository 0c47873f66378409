// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
package import LayoutSession

extension FieldReader {
  /// Reads what a viewer changes of columns; the current message is the change.
  package mutating func tableChange(_ message: Wire.TableChange) -> TableChange {
    var change = TableChange(isReset: message.reset, isAnimated: message.animated)
    let most = TablePreferences.maximumCount
    guard limit(message.columns.count, "columns", to: most) else { return change }
    for (index, column) in message.columns.enumerated() {
      within("columns", at: index) { reader in
        let id = reader.columnID(column.id)
        change.columns[id] = reader.columnPreference(column)
      }
    }
    guard message.hasOrder else { return change }
    within("order") { reader in
      guard reader.limit(message.order.ids.count, "ids", to: most) else { return }
      change.order = reader.columnIDs(message.order.ids)
    }
    return change
  }

  /// Reads an identifier that names a column, in the field `id`.
  private mutating func columnID(_ id: String) -> String {
    if id.isEmpty { reject("id", "is empty; 1 to \(FieldReader.maxNameBytes) bytes are needed") }
    return text(id, "id", maxBytes: FieldReader.maxNameBytes)
  }

  private mutating func columnIDs(_ ids: [String]) -> [String] {
    for (index, id) in ids.enumerated()
    where id.isEmpty || id.utf8.count > FieldReader.maxNameBytes {
      reject(
        "ids",
        at: index,
        "\(id.utf8.count) bytes found; 1 to \(FieldReader.maxNameBytes) are allowed"
      )
      return []
    }
    return ids
  }

  private mutating func columnPreference(_ message: Wire.TableColumnChange) -> TableColumnPreference
  {
    TableColumnPreference(
      width: message.hasWidth ? length(message.width, "width") : nil,
      isHidden: message.hasHidden ? message.hidden : nil,
      place: choice(message.place, "place") { place -> TableColumnPreference.Place?? in
        switch place {
        case .unspecified: .some(nil)
        case .scrolling: .scrolling
        case .leading: .leading
        case .trailing: .trailing
        case .UNRECOGNIZED: nil
        }
      } ?? nil
    )
  }
}

extension Wire.TableChange {
  /// The message of a change.
  package init(_ change: TableChange) {
    self.init()
    reset = change.isReset
    columns = change.columns.sorted { $0.key < $1.key }.map { Wire.TableColumnChange($0, $1) }
    if let ids = change.order { order.ids = ids }
    animated = change.isAnimated
  }
}

extension Wire.TableColumnChange {
  fileprivate init(_ id: String, _ preference: TableColumnPreference) {
    self.init()
    self.id = id
    if let width = preference.width { self.width = width }
    if let isHidden = preference.isHidden { hidden = isHidden }
    switch preference.place {
    case nil: place = .unspecified
    case .scrolling: place = .scrolling
    case .leading: place = .leading
    case .trailing: place = .trailing
    }
  }
}
