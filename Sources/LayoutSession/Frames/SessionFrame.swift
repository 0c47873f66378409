// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import LayoutGeometry

/// The change from one state of the renderer's elements to the next. Lengths are in points, in
/// content coordinates.
public struct SessionFrame: Sendable {
  /// Counts the frames of the session, from 1 on.
  public var sequence: UInt64
  /// The frame that this one changes; 0 = this is a keyframe, before which the client forgets all
  /// elements.
  public var baseSequence: UInt64
  /// Whether more parts of this frame follow.
  public var isContinued = false
  /// The data version of the contents that are shown.
  public var dataVersion: UInt64
  /// Grows when geometry may differ for the same data version.
  public var layoutVersion: UInt64
  /// The newest event such that this frame reflects it and all events before it.
  public var appliedEvent: UInt64
  /// The number of events since the previous frame, without the first.
  public var mergedEvents: Int
  /// The size of the whole content; nil = it has not changed. Every keyframe has it.
  public var contentSize: Size?
  /// The rect inside which the client then has all elements.
  public var coverage: Rect
  /// What the client has to add to its content offset.
  public var offsetAdjustment: Point
  /// When the client needs to report scrolling.
  public var scrollSensitivity: ScrollSensitivity
  /// Elements that are new or that changed, in order of section, item, category and kind.
  public var upserts: [FrameElement]
  /// The key of each upsert, "" = none: the item's for a cell, the section's for an element of a
  /// section itself, as far as the client asked for them. Empty if it asked for neither.
  public var keys: [String]
  /// The renderer's data of each upsert's item, "" = none. Empty if the client did not ask for it.
  public var itemData: [String] = []
  /// Slots that become empty, before `upserts` may fill them again.
  public var removedSlots: [UInt32]
  /// The rarer attributes, to which `FrameElement.element.extra` of upserts and of the transition
  /// is an index.
  public var extras: [ElementExtra]
  /// The names of kinds, to which `FrameElement.element.kind` is an index. An index keeps its name
  /// from frame to frame; after a keyframe the names may be others.
  public var kindNames: [String]
  /// The number of elements that the client has after this frame.
  public var liveCount: Int
  /// The checksum of these elements; nil = the client did not ask for checksums.
  public var stateChecksum: UInt32?
  /// Where animated elements come from and go to; nil = nothing is animated.
  public var transition: FrameTransition?
  /// The effects that the client applies from this frame on; nil = as before, and none in a
  /// keyframe.
  public var scrollEffects: ScrollEffects?
  /// The sections that scroll by themselves; nil = as before, and none in a keyframe.
  public var sectionScrolls: [SectionScrollState]?

  /// Whether the client is to forget all elements before it applies this frame.
  public var isKeyframe: Bool { baseSequence == 0 }

  /// The name of an element's kind; "" if its number has no name.
  public func kindName(of element: FrameElement) -> String {
    let kind = Int(element.element.kind)
    return kind < kindNames.count ? kindNames[kind] : ""
  }

  /// The key of an element of this frame.
  public func key(of element: FrameElement) -> ElementKey {
    ElementKey(
      category: element.element.category,
      kind: kindName(of: element),
      indexPath: element.element.indexPath
    )
  }

  /// All attributes of an element of this frame.
  ///
  /// - Precondition: `extra` of the element is negative, or an index into `extras`.
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

  /// The range in which the renderer has to pin an element of this frame; nil = the renderer does
  /// not pin it.
  ///
  /// - Precondition: `extra` of the element is negative, or an index into `extras`.
  public func pin(of element: FrameElement) -> PinRange? {
    element.element.extra < 0 ? nil : extras[Int(element.element.extra)].pin
  }
}

/// An element and the slot that it fills.
@frozen
public struct FrameElement: Sendable {
  /// The element, with the kind numbers and extras of its frame.
  public var element: LayoutElement
  /// The number of the renderer's view that shows the element.
  public var slot: UInt32
  /// Whether only the index path differs from what the client has. The packed encoding sends such
  /// elements as `index_shift_runs`; the messages encoding sends them whole.
  public var isShiftOnly: Bool
  /// The index path that the client knows; meaningful only if `isShiftOnly` is true.
  public var previousPath: IndexPath

  /// An element in a slot.
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
  /// Whether the renderer should animate from the old state to the new.
  public var isAnimated: Bool
  /// The data version of the frame before.
  public var fromDataVersion: UInt64
  /// Initial attributes of elements that the frame adds, in the frame's coordinates.
  public var appearing: [FrameElement] = []
  /// Final attributes of elements that the frame removes, in the frame's coordinates.
  public var disappearing: [FrameElement] = []
  /// The keys of `appearing`, then those of `disappearing`, as in `SessionFrame.keys`.
  public var keys: [String] = []
}

/// When the client needs to report scrolling.
public enum ScrollSensitivity: UInt8, Hashable, Sendable {
  /// When the visible rect comes near the edge of the coverage.
  case coverage = 1
  /// With every scroll step: attributes depend on the offset.
  case everyScroll = 2
}
