// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The beginning of large contents, laid out alone: what is shown while the whole is being prepared.
///
/// The extent of the content is a guess from that of the beginning.
struct ProvisionalLayout: PreparedLayout {
  private let beginning: any PreparedLayout
  let context: LayoutContext
  let contentSize: Size

  /// - Parameter context: of the whole.
  /// - Precondition: `beginning` has items, and an axis along which it grows.
  init(_ beginning: any PreparedLayout, of context: LayoutContext, along axis: ScrollAxis) {
    self.beginning = beginning
    self.context = context
    let (part, whole) = (beginning.context.contents.itemCount, context.contents.itemCount)
    let size = beginning.contentSize
    contentSize = axis.size(
      main: (axis.main(size) * Double(whole) / Double(max(part, 1))).rounded(),
      cross: axis.cross(size)
    )
  }

  var kindNames: [String] { beginning.kindNames }
  var scrollAxis: ScrollAxis? { beginning.scrollAxis }
  var scrollDependence: ScrollDependence { beginning.scrollDependence }
  var pageSpacing: Double { beginning.pageSpacing }
  var defaultAppearing: AppearanceAnimation { beginning.defaultAppearing }
  var defaultDisappearing: AppearanceAnimation { beginning.defaultDisappearing }
  var byteCount: Int { beginning.byteCount }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    beginning.appendElements(in: rect, viewport: viewport, to: &buffer)
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    beginning.attributes(of: key, viewport: viewport)
  }

  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    beginning.pinRange(of: key, viewport: viewport)
  }

  func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation {
    beginning.invalidation(from: old, to: new)
  }
}

extension PreparedLayoutRequest {
  /// So many items are laid out at once, rather than shown in part.
  private static let fewItems = 131_072

  /// How many items a beginning has at least.
  static let beginningCount = 32_768

  /// Whether a beginning may be shown before the whole is prepared. Equal items are one chunk however
  /// many they are, which cannot be cut and is placed by a rule, at once.
  ///
  /// - Complexity: O(chunks of a beginning), and only for a first frame.
  public var hasBeginning: Bool {
    guard visibleEnd != nil, contents.itemCount > Self.fewItems, configuration.layout.placesInOrder
    else { return false }
    return contents.beginning(ofAtLeast: Self.beginningCount).itemCount < contents.itemCount / 2
  }

  /// The beginning of the contents laid out alone, where it fills what is seen and more; for
  /// `ViewportSession.supply(beginning:for:)`.
  ///
  /// - Complexity: that of preparing some ten thousand items.
  public func prepareBeginning() -> (any PreparedLayout)? {
    prepareBeginning(ofAtLeast: Self.beginningCount)
  }

  func prepareBeginning(ofAtLeast count: Int) -> (any PreparedLayout)? {
    guard let visibleEnd else { return nil }
    let part = contents.beginning(ofAtLeast: count)
    guard part.itemCount < contents.itemCount else { return nil }
    let prepared = configuration.layout.prepare(context(of: part))
    guard let axis = prepared.scrollAxis,
      // From the right, places depend on how long the content is.
      axis == .vertical || !container.isRightToLeft,
      axis.main(prepared.contentSize) >= axis.main(visibleEnd)
    else { return nil }
    return ProvisionalLayout(prepared, of: context(of: contents), along: axis)
  }
}
