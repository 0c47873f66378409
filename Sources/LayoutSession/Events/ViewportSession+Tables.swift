// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel

/// What a viewer changes of the columns of tables.
public struct TableChange: Hashable, Sendable {
  /// Whether all earlier changes are forgotten first.
  public var isReset: Bool
  /// The new preferences of columns and groups, by identifier; an empty one removes the earlier
  /// one. Those that are not named stay as they are.
  public var columns: [String: TableColumnPreference]
  /// See `TablePreferences.order`; nil = unchanged.
  public var order: [String]?
  /// Whether the next frame is to carry a transition.
  public var isAnimated: Bool

  /// A change with the given values.
  public init(
    isReset: Bool = false,
    columns: [String: TableColumnPreference] = [:],
    order: [String]? = nil,
    isAnimated: Bool = false
  ) {
    self.isReset = isReset
    self.columns = columns
    self.order = order
    self.isAnimated = isAnimated
  }

  /// The viewer's preferences after this change of `preferences`.
  public func applied(to preferences: TablePreferences) -> TablePreferences {
    var result = isReset ? TablePreferences() : preferences
    for (id, preference) in columns {
      result.columns[id] = preference.isEmpty ? nil : preference
    }
    if let order { result.order = order }
    return result
  }
}

extension TablePreferences {
  /// The most columns and groups that a viewer can change.
  public static let maximumCount = TableLayout.maximumColumnCount
}

/// What a viewer has changed of the columns of tables, with its memory.
struct SessionTablePreferences: Sendable {
  let preferences: TablePreferences
  /// The bytes of the preferences, and of the columns that are arranged for this viewer alone,
  /// roughly.
  let byteCount: Int

  /// - Returns: nil if nothing is changed.
  init?(_ preferences: TablePreferences, of layout: any CollectionLayout) {
    guard !preferences.isEmpty else { return nil }
    self.preferences = preferences
    let placed = layout is TableLayout ? 2 * layout.parameterByteCount : 0
    byteCount = preferences.byteCount + placed
  }
}

extension ViewportSession {
  /// Changes columns for this viewer alone. Rows stay in place, so no layout has to be prepared.
  ///
  /// - Throws: FIELD_INVALID if more columns would be changed than allowed; then nothing has
  ///   changed.
  /// - Complexity: O(n log n) for n columns
  mutating func apply(_ change: TableChange) throws(Refusal) {
    let before = tablePreferences?.value.preferences ?? TablePreferences()
    let preferences = change.applied(to: before)
    let most = TablePreferences.maximumCount
    guard preferences.columns.count <= most else {
      throw Refusal(
        .fieldInvalid,
        field: "columns",
        "\(preferences.columns.count) columns would be changed; at most \(most) may be"
      )
    }
    guard preferences != before else { return }
    tablePreferences = SessionTablePreferences(preferences, of: configuration.layout).map {
      Boxed($0)
    }
    guard
      configuration.layout is TableLayout || target?.configuration.layout is TableLayout
        || prepared?.standIn?.value.layout is TableLayout
    else { return }
    prepared = prepared.map { arranged($0) }
    let next = target?.prepared.map { arranged($0) }
    target?.prepared = next
    layoutVersion += 1
    presentedLayoutChanged()
    if change.isAnimated { isAnimationWanted = true }
  }

  /// A prepared layout with columns as the viewer wants them.
  private func arranged(_ state: PreparedState) -> PreparedState {
    var state = state
    let arranged = arranged(state.box.supplied, last: state.layout)
    state.box = LayoutBox(
      arranged,
      supplied: state.box.supplied,
      effects: state.shownConfiguration.value.scrollEffects,
      identity: state.box.pinned.identity,
      byteCount: contents.ownBytes(of: arranged, by: state.shownConfiguration.value.layout)
    )
    return state
  }

  /// A layout with columns as the viewer wants them.
  ///
  /// - Parameter last: the layout shown last, from which unchanged columns are taken.
  func arranged(
    _ layout: any PreparedLayout,
    last: (any PreparedLayout)?
  ) -> any PreparedLayout {
    layout.arranged(by: tablePreferences?.value.preferences ?? TablePreferences(), last: last)
  }
}
