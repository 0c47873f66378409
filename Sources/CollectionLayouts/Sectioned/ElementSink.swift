// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// Takes the elements of one query from sections and their bodies. It converts frames to content
/// coordinates, drops elements that do not meet the rect, and fills the caller's buffer.
public struct ElementSink: Sendable {
  /// The caller's buffer with the elements taken so far.
  public internal(set) var buffer: ElementBuffer
  /// Converts frames from axis space to content coordinates.
  public let placement: SectionPlacement
  /// The viewport for which attributes are wanted.
  public let viewport: Viewport
  /// The index of the section whose elements are being taken.
  public internal(set) var section: Int
  /// Where the coordinates of these elements begin along the scroll axis, in axis space of the
  /// content.
  public internal(set) var mainOrigin: Double
  /// Where the coordinates of these elements begin across the scroll axis, in axis space of the
  /// content.
  public internal(set) var crossOrigin: Double

  /// The rect whose elements are wanted, in content coordinates.
  let rect: Rect
  /// Index of the layout's own first kind in `PreparedLayout.kindNames`.
  let kindBase: Int
  /// The names of the contents' cell kinds.
  var cellKindNames: [String] = []

  /// Makes a sink that begins with section 0 and the origin of the content.
  ///
  /// - Parameter buffer: takes the elements.
  /// - Parameter rect: the rect whose elements are wanted, in content coordinates.
  /// - Parameter kindBase: the index of the layout's own first kind in `PreparedLayout.kindNames`.
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

  /// Whether no more elements are taken. A body with many elements in the rect may stop then.
  @inlinable public var isFull: Bool { buffer.isFull }

  /// Counts items, lines or groups that a body looks at, and returns whether to go on: see
  /// `ElementBuffer.visit(_:)`.
  @discardableResult
  public mutating func visit(_ steps: Int) -> Bool { buffer.visit(steps) }

  /// The viewport, the parts under its content insets included, in the coordinates of the elements
  /// being taken.
  public var visibleSpan: AxisRect { relative(placement.axisRect(viewport.rect)) }

  /// The viewport less its content insets, in the coordinates of the elements being taken.
  public var unobscuredSpan: AxisRect { relative(placement.axisRect(viewport.unobscuredRect)) }

  /// The offset of the current section if it scrolls by itself, in points; nil = it is at its
  /// start, which for most layouts is 0.
  public var sectionOffset: Double? { viewport.sectionOffsets[section] }

  /// Takes a cell, if it meets the rect.
  ///
  /// - Parameter frame: in the coordinates of the body.
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

  /// Takes an element without rarer attributes, if it meets the rect.
  ///
  /// - Parameter kind: index into `SectionedLayout.elementKinds`; ignored for cells.
  /// - Parameter item: the item of the element's index path; nil = the element belongs to the whole
  ///   section.
  /// - Parameter frame: in the coordinates of the body.
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

  /// Takes an element with its rarer attributes, if its box meets the rect, transform included.
  ///
  /// - Parameter kind: index into `SectionedLayout.elementKinds`; ignored for cells.
  /// - Parameter item: the item of the element's index path; nil = the element belongs to the whole
  ///   section.
  /// - Parameter frame: in the coordinates of the body.
  /// - Parameter transform: as in the finished layout; in a mirrored layout the caller mirrors it.
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

  /// Takes an element that may be pinned.
  ///
  /// - Parameter element: its frame is its natural place.
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

  /// The frame in content coordinates.
  @inline(__always)
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
      // Contents have at most 2¹⁵ cell kinds and layouts far fewer element kinds, so nothing is cut
      // off.
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

  /// Where a pinned element starts along the scroll axis.
  ///
  /// For headers, UIKit's rule y = min(max(natural y, top of the visible bounds), end − height);
  /// for footers its mirror image.
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

  /// Takes an element that the renderer pins, at its natural place, if the renderer can move it
  /// into the rect.
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
      pin: pinRange(pin, first: first, last: last)
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

  /// The range in which the renderer may move an element.
  ///
  /// - Parameter first: the frame at `pin.min`, in content coordinates.
  /// - Parameter last: the frame at `pin.max`, in content coordinates.
  private func pinRange(_ pin: SectionPin, first: Rect, last: Rect) -> PinRange {
    let axis = placement.axis
    let isReversed = placement.isMirrored && axis == .horizontal
    let extent = axis.main(viewport.size)
    let length = axis.main(first.size)
    let startInset = axis.mainStart(viewport.insets)
    let endInset = axis.mainEnd(viewport.insets)
    // The distance from the viewport's start to the element's, in reading direction.
    let inset =
      switch pin.edge {
      case .start: startInset + pin.distance
      case .end: extent - endInset - pin.distance - length
      }
    return PinRange(
      minOffset: axis.main((isReversed ? last : first).origin),
      maxOffset: axis.main((isReversed ? first : last).origin),
      inset: isReversed ? extent - inset - length : inset,
      axis: axis
    )
  }
}
