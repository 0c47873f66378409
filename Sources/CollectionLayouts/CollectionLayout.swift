// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A rule that gives every element of a collection its place: UICollectionViewLayout without a
/// view.
///
/// A layout is a value with its parameters and nothing else. `prepare` makes an immutable
/// `PreparedLayout`, which any number of viewers share and query.
public protocol CollectionLayout: Hashable, Sendable {
  /// The field of LayoutSpec.kind, or "custom:NAME".
  var kindName: String { get }

  /// Reports parameters that the layout cannot work with, and such as are perhaps not meant.
  ///
  /// Fields are named as in the layout's own message: "item_size.width".
  /// - Parameter viewportSize: where known, for what UIKit warns about only then.
  ///   `LayoutOptions.validate` reports on the options, which all layouts share.
  func validate(viewportSize: Size?, findings: inout LayoutFindings)

  /// The parts of a container that the prepared layout depends on; the others set to a fixed value,
  /// so that viewers who differ only in those share one prepared layout.
  func significantParts(of container: LayoutContainer) -> LayoutContainer

  /// Roughly what the parameters keep in memory beyond the value itself, in bytes: texts and lists.
  var parameterByteCount: Int { get }

  /// Whether a size that the renderer measured takes the place of the element's own: it is then
  /// found as the item's width and height, or the section's header or footer size, in a private
  /// line of contents.
  func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool

  /// Whether a section scrolls across the scroll axis by itself, so that
  /// `Viewport.sectionOffsets` may hold an offset for it. A session keeps no others.
  ///
  /// - Parameter name: the section's layout name; "" = none.
  func scrollsOrthogonally(section: Int, named name: String) -> Bool

  /// Whether sections and items stand one after the other along the scroll axis, where nothing
  /// depends on what comes far behind it: the beginning can then be shown while the rest is prepared.
  var placesInOrder: Bool { get }

  /// Works out where everything is.
  func prepare(_ context: LayoutContext) -> any PreparedLayout

  /// The same within limits that are checked while it works.
  ///
  /// Layouts in closed form, which take O(sections), need not implement it.
  /// - Throws: why the work had to end, as `work.stop` says it.
  func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout

  /// What `prepare` would give for `change.new`, made from an older prepared layout of this same
  /// layout and container, sharing all that the change left alone.
  ///
  /// - Parameter prepared: a result of this layout's `prepare` or `update` for `change.old`.
  func update(_ prepared: any PreparedLayout, by change: ContentsChange) -> any PreparedLayout

  /// The same within limits that are checked while it works.
  ///
  /// - Throws: why the work had to end, as `work.stop` says it. `prepared` stays as it is.
  func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout
}

extension CollectionLayout {
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {}

  public func significantParts(of container: LayoutContainer) -> LayoutContainer { container }

  public var parameterByteCount: Int { 0 }

  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool { false }

  public func scrollsOrthogonally(section: Int, named name: String) -> Bool { false }

  public var placesInOrder: Bool { false }

  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    return prepare(context)
  }

  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    return prepare(context)
  }

  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    return update(prepared, by: change)
  }
}

/// An immutable result of `prepare`. Answers never change anything.
public protocol PreparedLayout: Sendable {
  /// What it was prepared for.
  var context: LayoutContext { get }

  /// The whole content area.
  var contentSize: Size { get }

  /// Names for `LayoutElement.kind`: first those of the contents' cells, in the same order, then
  /// the layout's own supplementary and decoration kinds.
  var kindNames: [String] { get }

  /// The axis along which content grows; nil = both or neither.
  var scrollAxis: ScrollAxis? { get }

  /// How attributes depend on the viewport's offset.
  var scrollDependence: ScrollDependence { get }

  /// Appends every element whose box meets `rect`, in any order and each once.
  ///
  /// - Parameter rect: any part of the content, usually larger than the viewport.
  /// - Parameter viewport: for attributes that depend on it: pinned elements, magnification.
  /// - Complexity: O(log n + k) for k elements; allocates nothing for each element but extras.
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer)

  /// The attributes of one element, wherever it is; nil where no such element exists.
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes?

  /// Where a pinned element may be; nil for elements that are not pinned.
  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange?

  /// What changes for a viewer when the viewport does, for the same prepared layout.
  func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation

  /// The layout's own rule for where scrolling ends; nil = wherever it would end anyway. Asked only
  /// while `LayoutOptions.scrollSnap` is nil.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget?

  /// The offset that shows an element, for layouts whose frames move with the viewport; nil = it
  /// follows from the element's frame. Need not be within the legal offsets.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point?

  /// The distance that `ScrollSnap.page` adds to the viewport's extent.
  var pageSpacing: Double { get }

  /// How elements enter and leave unless `LayoutOptions` says otherwise.
  var defaultAppearing: AppearanceAnimation { get }
  var defaultDisappearing: AppearanceAnimation { get }

  /// Roughly what it keeps in memory beyond the contents, in bytes.
  var byteCount: Int { get }
}

extension PreparedLayout {
  public var scrollDependence: ScrollDependence { .none }

  public func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? { nil }

  public func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation {
    switch scrollDependence {
    // Sections that scroll by themselves have moved.
    case _ where old.sectionOffsets != new.sectionOffsets: .everything
    case .none: .none
    case .pinnedElements: old == new ? .none : .pinnedElements
    case .everything: old == new ? .none : .everything
    }
  }

  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? { nil }

  public func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? { nil }

  public var pageSpacing: Double { 0 }
  public var defaultAppearing: AppearanceAnimation { .fade }
  public var defaultDisappearing: AppearanceAnimation { .fade }
}

/// How attributes depend on the viewport's offset.
public enum ScrollDependence: Hashable, Sendable {
  /// Not at all: scrolling only changes which elements are seen.
  case none
  /// Pinned headers and footers move along; renderers that pin by themselves need not report.
  case pinnedElements
  /// Any element may change with any step.
  case everything
}

/// What a change of the viewport invalidates.
public enum BoundsInvalidation: Hashable, Sendable {
  case none
  case pinnedElements
  case everything
}

/// Where scrolling ends, and the element that it rests on.
public struct ScrollTarget: Hashable, Sendable {
  public var offset: Point
  public var element: ElementKey?

  public init(offset: Point, element: ElementKey? = nil) {
    self.offset = offset
    self.element = element
  }
}

/// A layout together with the options that every layout has: the value behind a LayoutSpec.
public struct LayoutConfiguration: Hashable, Sendable {
  public var layout: any CollectionLayout
  public var options: LayoutOptions

  public init(_ layout: any CollectionLayout, options: LayoutOptions = .init()) {
    self.layout = layout
    self.options = options
  }

  public static func == (a: LayoutConfiguration, b: LayoutConfiguration) -> Bool {
    a.options == b.options && AnyHashable(a.layout) == AnyHashable(b.layout)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(options)
    hasher.combine(AnyHashable(layout))
  }
}

/// What is wrong with the parameters of a layout, or perhaps not meant.
public struct LayoutFindings: Hashable, Sendable {
  public private(set) var violations: [FieldViolation] = []
  public private(set) var warnings: [FieldViolation] = []

  /// So many of either sort are enough to see what is meant; those after them are not kept.
  public static let limit = 64

  public init() {}

  /// Reports a parameter that the layout cannot work with.
  public mutating func reject(_ field: String, _ description: String) {
    guard violations.count < Self.limit else { return }
    violations.append(FieldViolation(field: field, description: description))
  }

  /// Reports a parameter that works, though perhaps not as meant.
  public mutating func warn(_ field: String, _ description: String) {
    guard warnings.count < Self.limit else { return }
    warnings.append(FieldViolation(field: field, description: description))
  }
}
