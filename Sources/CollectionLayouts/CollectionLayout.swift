// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A rule that gives every element of a collection its place: a UICollectionViewLayout without a
/// view.
///
/// A layout is a value that holds its parameters and nothing else. `prepare` makes an immutable
/// `PreparedLayout`, which any number of viewers share and query.
public protocol CollectionLayout: Hashable, Sendable {
  /// The name of the layout's field in LayoutSpec.kind, or "custom:NAME".
  var kindName: String { get }

  /// Reports parameters that the layout cannot work with, and warns of parameters that were perhaps
  /// not meant. Fields are named as in the layout's own message, such as "item_size.width".
  ///
  /// `LayoutOptions.validate` reports on the options, which all layouts share.
  /// - Parameter viewportSize: the size of the viewport where it is known. Some warnings of UIKit
  ///   need it; without it they are left out.
  func validate(viewportSize: Size?, findings: inout LayoutFindings)

  /// The container with only those parts that the prepared layout depends on. All other parts have
  /// fixed values, so that viewers whose containers differ only there share one prepared layout.
  func significantParts(of container: LayoutContainer) -> LayoutContainer

  /// The memory that the parameters take beyond the value itself, such as texts and lists, in
  /// bytes: an estimate.
  var parameterByteCount: Int { get }

  /// Whether a size that the renderer measured replaces the size of this element.
  ///
  /// If so, the session puts it into its own copy of the contents: for a cell as the item's width
  /// and height, for a header or footer as the section's header or footer size.
  func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool

  /// Where the session keeps the measured size of a supplementary element about which
  /// `acceptsMeasurement` is not asked: of one that is not a section's header or footer. nil = the
  /// element cannot be measured.
  ///
  /// The session puts the size into its own copy of the contents, where a section's elements have
  /// it in `SectionContents.measured` and those of the whole layout in
  /// `CollectionContents.measuredElements`.
  func measuredElement(for key: ElementKey, in contents: CollectionContents) -> MeasuredElement?

  /// Whether items without a size of their own take the mean of the measured items' sizes
  /// (`CollectionContents.measuredItemSize`), so that a measurement may move them even if it is the
  /// size that an item has already.
  var averagesMeasurements: Bool { get }

  /// Whether a section scrolls across the layout's scroll axis by itself. Only such sections may
  /// have an offset in `Viewport.sectionOffsets`; sessions keep no others.
  ///
  /// - Parameter section: the section's index.
  /// - Parameter name: the section's layout name; "" = none.
  func scrollsOrthogonally(section: Int, named name: String) -> Bool

  /// Whether a section that scrolls by itself starts at offset 0. If so, sessions do not keep that
  /// offset.
  ///
  /// - Parameter section: the section's index.
  /// - Parameter name: the section's layout name; "" = none.
  func startsAtOffsetZero(section: Int, named name: String) -> Bool

  /// Whether sections and items follow each other along the scroll axis and no place depends on
  /// what comes far behind it. If so, a session can show the beginning while the rest is being
  /// prepared.
  var placesInOrder: Bool { get }

  /// Whether a layout that `update` makes shares the memory of the one before, except for what lies
  /// near the changes. If not, each may take all of its `byteCount` for itself.
  var sharesUnchangedParts: Bool { get }

  /// The same layout with fixed values for those parameters that `view(of:)` applies afterwards,
  /// such as the zoom of a map. Layouts with the same basis share what is prepared. nil = the
  /// layout is its own basis.
  var basis: (any CollectionLayout)? { get }

  /// A layout prepared for the same basis, seen as this layout would have prepared it.
  ///
  /// - Complexity: O(1), or O(log n) for n items.
  func view(of prepared: any PreparedLayout) -> any PreparedLayout

  /// Whether `preview` shows something of large contents long before they are prepared.
  var hasPreview: Bool { get }

  /// What is visible in a rect, for a first frame while everything is being prepared. The preview
  /// is queried only in that rect, and never updated.
  ///
  /// Its elements are elements of the contents, though perhaps not all of them.
  ///
  /// - Parameter work: told of the steps.
  /// - Returns: nil = there is no preview, or the work has stopped.
  func preview(
    _ context: LayoutContext,
    of rect: Rect,
    work: LayoutWork
  ) -> (any PreparedLayout)?

  /// Whether an edit may move all items behind it, so that `update` takes time for each of them,
  /// and `draft` takes much less.
  var hasDrafts: Bool { get }

  /// What can be shown of `change.new` until `update` has placed all items; by default the result
  /// of `update`.
  ///
  /// In a draft (`PreparedLayout.isDraft`) all items exist exactly once and none overlaps another.
  /// Around the edits they are where they belong, given those before them. Items far behind an edit
  /// keep their places relative to each other, and move together.
  ///
  /// - Parameter prepared: as for `update`; it may be a draft.
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout

  /// Places all elements, or prepares to place them on demand.
  func prepare(_ context: LayoutContext) -> any PreparedLayout

  /// Places all elements, and checks the limits of `work` while it does.
  ///
  /// Layouts in closed form, which take O(sections), need not implement it. Nothing can end or
  /// pause a computation that does not report its steps: while it runs it keeps one of the server's
  /// threads from other clients, and its limits are checked only when it is done.
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout

  /// The prepared layout for `change.new`, equal to what `prepare` would make, except that sums of
  /// lengths may be rounded otherwise in their last digits. It is derived from
  /// an older prepared layout of the same layout and container, and shares what the change left
  /// alone.
  ///
  /// - Parameter prepared: a result of `prepare` or `update` for `change.old`, of this layout or of
  ///   one with the same basis.
  func update(_ prepared: any PreparedLayout, by change: ContentsChange) -> any PreparedLayout

  /// The prepared layout for `change.new`. Checks the limits of `work` while it makes it.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it. `prepared` stays as it is.
  func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout
}

extension CollectionLayout {
  /// Accepts all parameters.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {}

  /// The container without `references`: viewers share a prepared layout only if all else of their
  /// containers is equal. A layout that reads `references` has to implement this.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    var parts = container
    parts.references = .none
    return parts
  }

  /// 0, for layouts without texts and lists.
  public var parameterByteCount: Int { 0 }

  /// Accepts no measured sizes.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool { false }

  /// No such element can be measured.
  public func measuredElement(
    for key: ElementKey,
    in contents: CollectionContents
  ) -> MeasuredElement? { nil }

  /// Nothing is shared.
  public var sharesUnchangedParts: Bool { false }

  /// Measurements change only what was measured.
  public var averagesMeasurements: Bool { false }

  /// No section scrolls by itself.
  public func scrollsOrthogonally(section: Int, named name: String) -> Bool { false }

  /// All sections start at offset 0.
  public func startsAtOffsetZero(section: Int, named name: String) -> Bool { true }

  /// The layout is its own basis.
  public var basis: (any CollectionLayout)? { nil }

  /// What was prepared.
  public func view(of prepared: any PreparedLayout) -> any PreparedLayout { prepared }

  /// There are no drafts.
  public var hasDrafts: Bool { false }

  /// The whole layout.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try update(prepared, by: change, work: work)
  }

  /// There is no preview.
  public var hasPreview: Bool { false }

  /// There is no preview.
  public func preview(
    _ context: LayoutContext,
    of rect: Rect,
    work: LayoutWork
  ) -> (any PreparedLayout)? { nil }

  /// Nothing can be shown before everything is prepared.
  public var placesInOrder: Bool { false }

  /// Calls `prepare(_:)`, unless the work has stopped already. Checks no limit while that runs,
  /// only afterwards.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    let prepared = prepare(context)
    try work.accept(prepared)
    return prepared
  }

  /// Prepares the changed contents from nothing.
  ///
  /// - Complexity: that of `prepare(_:)`
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    return prepare(context)
  }

  /// Calls `update(_:by:)`, unless the work has stopped already. Checks no limit while that runs,
  /// only afterwards.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    let updated = update(prepared, by: change)
    try work.accept(updated)
    return updated
  }
}
