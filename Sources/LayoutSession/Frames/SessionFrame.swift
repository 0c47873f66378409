// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import LayoutGeometry

/// The change from one state of the renderer's elements to the next.
public struct SessionFrame: Sendable {
  public var sequence: UInt64
  /// The frame that this one changes; 0 = keyframe: forget all elements first.
  public var baseSequence: UInt64
  /// More parts of this frame follow.
  public var isContinued = false
  public var dataVersion: UInt64
  public var layoutVersion: UInt64
  /// The newest event that this frame reflects.
  public var appliedEvent: UInt64
  /// Events merged into this frame beyond the first.
  public var mergedEvents: Int
  /// Set when changed, and in every keyframe.
  public var contentSize: Size?
  /// The elements are complete inside this rect.
  public var coverage: Rect
  /// To be added to the content offset.
  public var offsetAdjustment: Point
  public var scrollSensitivity: ScrollSensitivity
  /// Elements that are new or that changed, in order of section, item, category and kind.
  public var upserts: [FrameElement]
  /// One for each upsert where the client asked for item keys, "" = none; else empty.
  public var itemKeys: [String]
  /// Slots that are empty now. Applied before `upserts`, which may fill them again.
  public var removedSlots: [UInt32]
  /// What `FrameElement.element.extra` of upserts and of the transition points into.
  public var extras: [ElementExtra]
  /// What `FrameElement.element.kind` points into. Numbers never change within a session; new
  /// names come at the end.
  public var kindNames: [String]
  /// After this frame.
  public var liveCount: Int
  /// Where the client asked for checksums.
  public var stateChecksum: UInt32?
  public var transition: FrameTransition?

  public var isKeyframe: Bool { baseSequence == 0 }

  /// "" for a kind that has no name.
  public func kindName(of element: FrameElement) -> String {
    let kind = Int(element.element.kind)
    return kind < kindNames.count ? kindNames[kind] : ""
  }

  public func key(of element: FrameElement) -> ElementKey {
    ElementKey(
      category: element.element.category,
      kind: kindName(of: element),
      indexPath: element.element.indexPath
    )
  }

  public func attributes(of element: FrameElement) -> LayoutAttributes {
    let element = element.element
    let extra = element.extra < 0 ? nil : extras[Int(element.extra)]
    return LayoutAttributes(
      frame: element.frame,
      transform: extra?.transform ?? .identity,
      alpha: element.alpha,
      zIndex: Int(element.zIndex),
      isHidden: element.isHidden,
      custom: extra?.custom
    )
  }

  public func pin(of element: FrameElement) -> PinRange? {
    element.element.extra < 0 ? nil : extras[Int(element.element.extra)].pin
  }
}

/// An element and the slot that it fills.
@frozen
public struct FrameElement: Sendable {
  public var element: LayoutElement
  public var slot: UInt32
  /// Nothing but the index path differs from what the client has: the packed encoding sends such
  /// elements as `index_shift_runs`, the messages encoding whole.
  public var isShiftOnly: Bool
  /// The index path that the client knows, where `isShiftOnly`.
  public var previousPath: IndexPath

  @inlinable
  public init(
    element: LayoutElement,
    slot: UInt32,
    isShiftOnly: Bool = false,
    previousPath: IndexPath
  ) {
    self.element = element
    self.slot = slot
    self.isShiftOnly = isShiftOnly
    self.previousPath = previousPath
  }
}

/// Where animated elements come from and go to.
public struct FrameTransition: Sendable {
  public var isAnimated: Bool
  public var fromDataVersion: UInt64
  /// Initial attributes of elements that the frame adds, in the frame's coordinates.
  public var appearing: [FrameElement] = []
  /// Final attributes of elements that the frame removes, in the frame's coordinates.
  public var disappearing: [FrameElement] = []
  /// Of `appearing`, then of `disappearing`, where the client asked for item keys.
  public var itemKeys: [String] = []
}

/// When the client needs to report scrolling.
public enum ScrollSensitivity: UInt8, Hashable, Sendable {
  /// When the visible rect nears the edge of the coverage.
  case coverage = 1
  /// With every step: attributes depend on the offset.
  case everyScroll = 2
}
