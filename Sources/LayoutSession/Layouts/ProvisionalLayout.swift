// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A layout of the beginning of large contents, shown while the layout of the whole is being
/// prepared.
///
/// The content size is estimated from that of the beginning.
struct ProvisionalLayout: PreparedLayout {
  private let beginning: any PreparedLayout
  let context: LayoutContext
  let contentSize: Size

  /// - Parameter context: the context of the whole contents.
  /// - Parameter axis: the axis along which the content grows.
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
  func kindName(_ number: Int) -> String? { beginning.kindName(number) }
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

  func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? {
    beginning.attributes(of: key, viewport: viewport, work: work)
  }

  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    beginning.pinRange(of: key, viewport: viewport)
  }

  func sectionOffset(_ section: Int, viewport: Viewport) -> Double? {
    beginning.sectionOffset(section, viewport: viewport)
  }

  func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll? {
    beginning.sectionScroll(section, viewport: viewport)
  }

  /// Behind the beginning, items are assumed to follow each other evenly.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    guard let progress = beginning.itemProgress(at: place, along: axis, work: work) else {
      return nil
    }
    let (laid, whole) = (axis.main(beginning.contentSize), axis.main(contentSize))
    guard place >= laid, whole > laid else { return progress }
    let count = context.contents.itemCount
    // At most 1, so the conversion cannot trap.
    let part = min(place / whole, 1)
    let passed = max(beginning.context.contents.itemCount, Int(part * Double(count)))
    return ItemProgress(
      passed: min(passed, count),
      item: context.contents.indexPath(ofOrdinal: passed)
    )
  }

  func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    let (part, whole) = (beginning.context.contents, context.contents)
    if section < part.sectionCount {
      return beginning.sectionStart(section, along: axis)
    }
    guard beginning.sectionStart(0, along: axis) != nil else { return nil }
    let before = Double(whole.itemCount(before: section)) / Double(max(1, whole.itemCount))
    return max(axis.main(beginning.contentSize), axis.main(contentSize) * before)
  }

  func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation {
    beginning.invalidation(from: old, to: new)
  }
}

extension PreparedLayoutRequest {
  /// Contents with at most this many items are prepared as a whole right away.
  private static let fewItems = 131_072

  /// The fewest items of a beginning.
  static let beginningCount = 32_768

  /// The most steps that preparing a beginning may take: 16 for each of its items, which is some
  /// milliseconds in most layouts. A beginning is thrown away soon, so more is not worth it.
  static let beginningSteps = 1 << 19
  /// The most bytes that a beginning may keep.
  static let beginningBytes = 32 << 20

  /// Whether the beginning of the contents, or a preview of what is in view, may be shown before
  /// the layout of the whole is prepared.
  ///
  /// False where the beginning is half of the contents or more. Many equal items are such a case:
  /// they are one chunk, which is never cut, and layouts place them by a formula anyway.
  ///
  /// - Complexity: O(chunks of the beginning) for a first frame, else O(1)
  public var hasBeginning: Bool {
    guard visibleEnd != nil, contents.itemCount > Self.fewItems else { return false }
    if configuration.layout.hasPreview { return true }
    guard configuration.layout.placesInOrder else { return false }
    return contents.beginning(ofAtLeast: Self.beginningCount).itemCount < contents.itemCount / 2
  }

  /// Whether the whole surely takes so long that a first frame need not wait to see.
  public var isPreviewUrgent: Bool {
    configuration.layout.hasPreview && contents.itemCount > Self.manyItems
  }

  /// Contents with more items than this take tens of milliseconds to prepare.
  private static let manyItems = 1 << 20

  /// Prepares a layout of the beginning of the contents, or a preview, for
  /// `ViewportSession.supply(beginning:for:)`.
  ///
  /// - Parameter work: is told of the steps, and ends the preparation when it stops. There is a
  ///   smaller limit of steps and bytes in any case.
  /// - Returns: nil = the beginning does not reach far enough beyond the visible rect, places in it
  ///   depend on the rest of the contents, or preparing it exceeded a limit.
  /// - Complexity: that of preparing the beginning, about 33,000 items.
  public func prepareBeginning(
    within work: LayoutWork = .unlimited
  ) -> (any PreparedLayout)? {
    prepareBeginning(ofAtLeast: Self.beginningCount, within: work)
  }

  /// The same with another size of the beginning.
  ///
  /// - Parameter count: the fewest items of the beginning.
  func prepareBeginning(
    ofAtLeast count: Int,
    within work: LayoutWork = .unlimited
  ) -> (any PreparedLayout)? {
    guard let visibleEnd else { return nil }
    if let firstRect, configuration.layout.hasPreview {
      return configuration.layout.preview(context(of: contents), of: firstRect, work: work)
    }
    let part = contents.beginning(ofAtLeast: count)
    guard part.itemCount < contents.itemCount else { return nil }
    let between = 16_384
    let few = LayoutWork(
      stepLimit: Self.beginningSteps,
      byteLimit: Self.beginningBytes,
      stepsBetweenChecks: between
    ) { work.proceed(between) }
    // Whatever ended it: the whole is shown, once it is there.
    guard let prepared = try? configuration.layout.prepare(context(of: part), work: few),
      prepared.byteCount <= Self.beginningBytes
    else { return nil }
    guard let axis = prepared.scrollAxis,
      // Content that starts at the right has coordinates that depend on its whole length.
      axis == .vertical || !container.isRightToLeft,
      axis.main(prepared.contentSize) >= axis.main(visibleEnd)
    else { return nil }
    return ProvisionalLayout(prepared, of: context(of: contents), along: axis)
  }
}
