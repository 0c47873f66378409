// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// Takes the elements of one query from sections and their bodies: converts their frames to content
/// coordinates, drops what does not meet the rect, and fills the caller's buffer.
public struct ElementSink: Sendable {
  public internal(set) var buffer: ElementBuffer
  public let placement: SectionPlacement
  public let viewport: Viewport
  /// The section that hands in elements just now.
  public internal(set) var section: Int
  /// Where the coordinates of what is handed in begin, in axis space of the content.
  public internal(set) var mainOrigin: Double
  public internal(set) var crossOrigin: Double

  private(set) var rect: Rect
  /// Index of the layout's own first kind in `PreparedLayout.kindNames`.
  let kindBase: Int

  /// - Parameter rect: the elements wanted, in content coordinates.
  public init(
    buffer: consuming ElementBuffer,
    rect: Rect,
    placement: SectionPlacement,
    viewport: Viewport,
    kindBase: Int
  ) {
    self.buffer = buffer
    self.rect = rect
    self.placement = placement
    self.viewport = viewport
    self.kindBase = kindBase
    section = 0
    mainOrigin = 0
    crossOrigin = 0
  }

  /// Whether no more elements are taken; a body that has many in the rect may stop then.
  @inlinable public var isFull: Bool { buffer.isFull }

  /// Counts items, lines or groups that a body looks at, and says whether to go on: see
  /// `ElementBuffer.visit`.
  @discardableResult
  public mutating func visit(_ steps: Int) -> Bool { buffer.visit(steps) }

  /// The viewport with the parts under its content insets, in the coordinates of what is handed in.
  public var visibleSpan: AxisRect { relative(placement.axisRect(viewport.rect)) }

  /// The viewport less its content insets, in the coordinates of what is handed in.
  public var unobscuredSpan: AxisRect { relative(placement.axisRect(viewport.unobscuredRect)) }

  /// The offset of the section just handed in, where it scrolls by itself.
  public var sectionOffset: Double { viewport.sectionOffsets[section] ?? 0 }

  /// Hands in elements while the rect is longer by a distance on both sides across the scroll axis.
  mutating func withRect(
    widenedAcrossBy distance: Double,
    _ body: (inout ElementSink) -> Void
  ) {
    let narrow = rect
    var wide = placement.axis.axisRect(rect)
    wide.cross -= distance
    wide.crossLength += 2 * distance
    rect = placement.axis.rect(wide)
    body(&self)
    rect = narrow
  }

  /// Takes a cell.
  /// - Parameter frame: relative to the body.
  public mutating func appendCell(_ item: Int, frame: AxisRect, zIndex: Int32 = 0) {
    let rect = placed(frame)
    guard rect.meets(self.rect) else { return }
    buffer.append(
      LayoutElement(
        category: .cell,
        kind: 0,
        indexPath: IndexPath(section: section, item: item),
        frame: rect,
        zIndex: zIndex
      )
    )
  }

  /// Takes any element without a transform.
  ///
  /// - Parameter kind: index into `SectionedLayout.elementKinds`; of no account for cells.
  /// - Parameter item: nil = the element belongs to the section as a whole.
  public mutating func append(
    _ category: ElementCategory,
    kind: Int,
    item: Int?,
    frame: AxisRect,
    zIndex: Int32 = 0
  ) {
    let rect = placed(frame)
    guard rect.meets(self.rect) else { return }
    buffer.append(element(category, kind: kind, item: item, frame: rect, zIndex: zIndex))
  }

  /// Takes any element with its rarer attributes. It belongs to the rect if its box does, the
  /// transform included.
  ///
  /// - Parameter transform: as it is in the finished layout, that is, mirrored where that is.
  public mutating func append(
    _ category: ElementCategory,
    kind: Int,
    item: Int?,
    frame: AxisRect,
    zIndex: Int32 = 0,
    alpha: Double,
    isHidden: Bool = false,
    transform: Transform = .identity,
    custom: [String: CustomValue]? = nil
  ) {
    let rect = placed(frame)
    guard transform.boundingBox(of: rect).meets(self.rect) else { return }
    var element = element(category, kind: kind, item: item, frame: rect, zIndex: zIndex)
    element.alpha = alpha
    element.isHidden = isHidden
    if transform == .identity, custom == nil {
      buffer.append(element)
    } else {
      buffer.append(element, extra: ElementExtra(transform: transform, custom: custom))
    }
  }

  /// Takes an element that may be pinned; its frame is the natural one.
  mutating func append(_ element: SectionElement) {
    let item: Int? = nil
    guard let pin = element.pin else {
      if element.custom == nil {
        append(
          element.category,
          kind: element.kind,
          item: item,
          frame: element.frame,
          zIndex: element.zIndex
        )
      } else {
        append(
          element.category,
          kind: element.kind,
          item: item,
          frame: element.frame,
          zIndex: element.zIndex,
          alpha: 1,
          custom: element.custom
        )
      }
      return
    }
    if viewport.rendererPins {
      appendNatural(element, pin: pin)
    } else {
      var pinned = element
      pinned.pin = nil
      pinned.frame.main = pinnedMain(of: element.frame, pin: pin)
      append(pinned)
    }
  }

  func placed(_ frame: AxisRect) -> Rect {
    placement.rect(
      AxisRect(
        main: mainOrigin + frame.main,
        cross: crossOrigin + frame.cross,
        mainLength: frame.mainLength,
        crossLength: frame.crossLength
      )
    )
  }

  func element(
    _ category: ElementCategory,
    kind: Int,
    item: Int?,
    frame: Rect,
    zIndex: Int32
  ) -> LayoutElement {
    LayoutElement(
      category: category,
      kind: category == .cell ? 0 : UInt16(truncatingIfNeeded: kindBase + kind),
      indexPath: item.map { IndexPath(section: section, item: $0) } ?? IndexPath(section: section),
      frame: frame,
      zIndex: zIndex
    )
  }

  private func relative(_ span: AxisRect) -> AxisRect {
    var span = span
    span.main -= mainOrigin
    span.cross -= crossOrigin
    return span
  }

  /// semantics: y = min(max(naturalY, top), end − height) for headers, and the mirror image of that
  /// for footers.
  private func pinnedMain(of frame: AxisRect, pin: SectionPin) -> Double {
    let axis = placement.axis
    let visible = visibleSpan
    let wanted =
      switch pin.edge {
      case .start: visible.main + axis.mainStart(viewport.insets) + pin.distance
      case .end:
        visible.mainEnd - axis.mainEnd(viewport.insets) - pin.distance - frame.mainLength
      }
    return min(max(wanted, pin.min), pin.max)
  }

  /// Where the renderer pins: at the natural place, for any rect that the element can be moved into.
  private mutating func appendNatural(_ element: SectionElement, pin: SectionPin) {
    var sweep = element.frame
    sweep.main = min(pin.min, element.frame.main)
    sweep.mainLength = max(pin.max, element.frame.main) - sweep.main + element.frame.mainLength
    guard placed(sweep).meets(rect) else { return }
    var lowest = element.frame
    lowest.main = pin.min
    var highest = element.frame
    highest.main = pin.max
    let first = placed(lowest)
    let last = placed(highest)
    let extra = ElementExtra(
      custom: element.custom,
      pin: pinRange(element, pin: pin, first: first, last: last)
    )
    buffer.append(
      self.element(
        element.category,
        kind: element.kind,
        item: nil,
        frame: placed(element.frame),
        zIndex: element.zIndex
      ),
      extra: extra
    )
  }

  /// - Parameter first: the frame at `pin.min`; `last`: at `pin.max`, both in content coordinates.
  private func pinRange(
    _ element: SectionElement,
    pin: SectionPin,
    first: Rect,
    last: Rect
  ) -> PinRange {
    let axis = placement.axis
    let isReversed = placement.isMirrored && axis == .horizontal
    let extent = axis.main(viewport.size)
    let length = axis.main(first.size)
    let startInset = axis.mainStart(viewport.insets)
    let endInset = axis.mainEnd(viewport.insets)
    // Distance of the element's near edge from the viewport's start, in reading direction.
    let inset =
      switch pin.edge {
      case .start: startInset + pin.distance
      case .end: extent - endInset - pin.distance - length
      }
    return PinRange(
      minOffset: axis.main((isReversed ? last : first).origin),
      maxOffset: axis.main((isReversed ? first : last).origin),
      inset: isReversed ? extent - inset - length : inset
    )
  }
}
