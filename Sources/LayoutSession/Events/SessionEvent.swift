// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import LayoutGeometry

/// What a client sends to a session.
public enum SessionEvent: Sendable {
  /// The user scrolled, or the viewport changed.
  case viewport(ViewportChange)
  /// A batch of changes of the data.
  case update(UpdateBatch)
  /// Another layout.
  case layout(LayoutChange)
  /// A stored layout of the collection, by name. The session refuses this event: its owner, who
  /// knows the collection, makes a `LayoutChange` of it and later calls
  /// `ViewportSession.follow(_:)`.
  case namedLayout(String, isAnimated: Bool)
  /// Sizes that the renderer measured.
  case measurements(MeasurementReport)
  /// Other session options, which replace all previous ones.
  case options(SessionOptions)
  /// The client's elements are wrong or gone: a keyframe follows.
  case resync
  /// The client is leaving; `discard` = it will not resume.
  case close(discard: Bool)
  /// A question where to scroll.
  case scrollTarget(ScrollRequest)
  /// A step of reordering items by hand.
  case movement(InteractiveMovement)
  /// A step of a layout change that the user controls.
  case transition(InteractiveTransition)
  /// Items of outlines to expand and to collapse.
  case outline(OutlineEvent)
  /// Columns of tables that the viewer resizes, hides, freezes or reorders.
  case table(TableChange)
  /// Attributes may have changed without new data. The session looks at all elements in the
  /// coverage again, whichever are named.
  case invalidation([ElementKey])
  /// A question that is answered once everything before it has been applied and sent.
  case sync
  /// An event that this server does not know, by its name.
  case unsupported(String)
}

extension SessionEvent {
  /// What a later event does with an earlier one that has not been applied.
  public enum Succession: Sendable {
    /// It makes it unnecessary, unless it is refused.
    case supersedes
    /// It does not depend on it.
    case passes
    /// It needs what the earlier one did.
    case needs
  }

  /// What this event does with an earlier one. Only steps of movements that say where the held
  /// items go are ever superseded: a target by the next target, a position by the next of either.
  /// A target is not superseded by a position, for it stays where the position meets no cell.
  public func succeeds(_ earlier: SessionEvent) -> Succession {
    switch (earlier, self) {
    case (.movement(.target), .movement(.target)), (.movement(.position), .movement(.target)),
      (.movement(.position), .movement(.position)):
      .supersedes
    case (.movement(.target), .movement(.position)), (.movement(.target), .viewport),
      (.movement(.position), .viewport):
      .passes
    default: .needs
    }
  }

  /// Whether a target that was left to a later one may go on waiting.
  func letsTargetWait(isSuperseded: Bool) -> Bool {
    switch self {
    case .movement(.target), .movement(.cancel), .viewport, .unsupported: true
    case .movement(.position): isSuperseded
    default: false
    }
  }
}

/// A change of what the client sees. Values that are nil stay as they are.
///
/// All lengths are in points, finite, and at most `SessionLimits.length` in magnitude.
public struct ViewportChange: Hashable, Sendable {
  /// The sequence number of the frame that the client had applied when it read the offset. The
  /// session adds the offset adjustments of later frames. 0 = the last frame that the client
  /// acknowledged.
  public var observedFrame: UInt64
  /// The top-left corner of the viewport in content coordinates.
  public var offset: Point?
  /// The size of the viewport, insets included; not negative.
  public var size: Size?
  /// The parts of the viewport, at its edges, that bars and the like cover; content is inset by
  /// them.
  public var insets: EdgeInsets?
  /// The scroll velocity, in points per second.
  public var velocity: Point?
  /// Offsets of orthogonally scrolling sections, by section index, along the section's own axis.
  /// The offsets of sections that are not named stay as they are.
  public var sectionOffsets: [Int: Double]
  /// Properties of the display.
  public var traits: Traits?
  /// The insets from the edges of the viewport to its safe area.
  public var safeAreaInsets: EdgeInsets?
  /// The insets from the edges of the viewport to its layout margins.
  public var layoutMargins: EdgeInsets?
  /// The greatest width of readable content, not negative; 0 = the layout margins decide.
  public var readableContentWidth: Double?

  /// Properties of the client's display.
  public struct Traits: Hashable, Sendable {
    /// Pixels per point, 0.01 to 100.
    public var displayScale: Double
    /// Whether content is laid out from right to left.
    public var isRightToLeft: Bool
    /// What the client states for the conditions of responsive layouts.
    public var stated: LayoutTraits

    /// Traits with the given values; by default one pixel per point, left to right, and nothing
    /// stated.
    public init(
      displayScale: Double = 1,
      isRightToLeft: Bool = false,
      stated: LayoutTraits = .none
    ) {
      self.displayScale = displayScale
      self.isRightToLeft = isRightToLeft
      self.stated = stated
    }

    /// What is stated, as sessions keep it; nil = nothing.
    var boxed: Boxed<LayoutTraits>? { stated == .none ? nil : Boxed(stated) }
  }

  /// A change of the given values; by default of nothing.
  public init(
    observedFrame: UInt64 = 0,
    offset: Point? = nil,
    size: Size? = nil,
    insets: EdgeInsets? = nil,
    velocity: Point? = nil,
    sectionOffsets: [Int: Double] = [:],
    traits: Traits? = nil,
    safeAreaInsets: EdgeInsets? = nil,
    layoutMargins: EdgeInsets? = nil,
    readableContentWidth: Double? = nil
  ) {
    self.observedFrame = observedFrame
    self.offset = offset
    self.size = size
    self.insets = insets
    self.velocity = velocity
    self.sectionOffsets = sectionOffsets
    self.traits = traits
    self.safeAreaInsets = safeAreaInsets
    self.layoutMargins = layoutMargins
    self.readableContentWidth = readableContentWidth
  }

  /// The reference insets of a viewport after this change, from none.
  public var references: ReferenceInsets {
    ReferenceInsets(
      safeArea: safeAreaInsets ?? .zero,
      layoutMargins: layoutMargins ?? .zero,
      readableWidth: readableContentWidth ?? 0,
      viewportWidth: size?.width ?? 0
    )
  }
}

/// A change to another layout.
public struct LayoutChange: Sendable {
  /// The new layout, with its options.
  public var layout: LayoutConfiguration
  /// Whether the layout came with the client's request, rather than from the data.
  public var isOwn: Bool
  /// Whether the next frame is to carry a transition from the old layout.
  public var isAnimated: Bool

  /// A change to the given layout.
  public init(layout: LayoutConfiguration, isOwn: Bool = true, isAnimated: Bool = false) {
    self.layout = layout
    self.isOwn = isOwn
    self.isAnimated = isAnimated
  }
}

/// Sizes that the renderer measured for self-sizing elements.
public struct MeasurementReport: Hashable, Sendable {
  /// The sequence number of the frame that was rendered when the sizes were measured. Slots that
  /// have been given to another element since then are ignored.
  public var observedFrame: UInt64
  /// The slots of the measured elements. Of two sizes for one slot the later one counts.
  public var slots: [UInt32]
  /// The size measured for each slot, in points.
  public var sizes: [Size]

  /// A report of the given sizes.
  public init(observedFrame: UInt64, slots: [UInt32], sizes: [Size]) {
    self.observedFrame = observedFrame
    self.slots = slots
    self.sizes = sizes
  }
}

/// A question where to scroll.
public enum ScrollRequest: Hashable, Sendable {
  /// The user lifted the finger: where should scrolling that would end at `proposedOffset` rest?
  /// nil = at the place where it would end by itself from the current offset, given the velocity
  /// and deceleration. The velocity is the change of the offset in points per second. With a
  /// section, offsets and velocity are those of the section, along its axis.
  case release(
    proposedOffset: Point?,
    velocity: Point,
    section: Int?,
    deceleration: DecelerationRate = .normal
  )
  /// Which offset shows an element?
  case element(ElementKey, at: ScrollPosition)
  /// Which offset shows the item with a key? If it is hidden in an outline, `reveals` says whether
  /// its ancestors are expanded first.
  case item(key: String, at: ScrollPosition, reveals: Bool = false)
  /// Which item does a step lead to, and which offset shows it?
  case neighbor(of: Origin, step: NeighborStep, at: ScrollPosition)

  /// Where a step begins.
  public enum Origin: Hashable, Sendable {
    /// At an element.
    case element(ElementKey)
    /// At the item with a key.
    case item(key: String)
    /// At a point in content coordinates.
    case point(Point)
    /// Nowhere, for steps to the first and the last item.
    case nowhere
  }

  /// The field of the contract that names the element in question, and what it names; nil = none
  /// is named.
  package var namedElement: (field: String, found: String)? {
    switch self {
    case .element(let key, _): ("element.key", key.found)
    case .item(let key, _, _): ("element.item_key", "\"\(key)\" found")
    case .neighbor(.element(let key), _, _): ("neighbor.key", key.found)
    case .neighbor(.item(let key), _, _): ("neighbor.item_key", "\"\(key)\" found")
    case .release, .neighbor: nil
    }
  }

  /// Why a question is refused whose element the layout does not have.
  package static let notPlaced = "the layout places no such element"
}

extension ElementKey {
  /// Names the element in a refusal.
  package var found: String {
    let name = kind.isEmpty ? "\(category)" : "\(category) \"\(kind)\""
    return "\(name) at \(indexPath) found"
  }
}

/// Items of outlines that the viewer expands and collapses.
public struct OutlineEvent: Hashable, Sendable {
  /// The items, by key.
  public var change: ExpansionChange
  /// The slots of more items: expanded ones collapse, the others expand. Empty slots are ignored.
  public var toggledSlots: [UInt32]
  /// Whether the next frame is to carry a transition.
  public var isAnimated: Bool

  /// An event with the given values.
  public init(change: ExpansionChange, toggledSlots: [UInt32] = [], isAnimated: Bool = false) {
    self.change = change
    self.toggledSlots = toggledSlots
    self.isAnimated = isAnimated
  }
}

/// A step of a layout change that the user controls.
public enum InteractiveTransition: Sendable {
  /// Begins a transition to a layout, at progress 0. Replaces one that is under way.
  case begin(LayoutConfiguration)
  /// How far the transition is: 0 = the old layout, 1 = the new one. Any number within the limits
  /// of coordinates is kept; frames show it limited to 0…1.
  case progress(Double)
  /// The new layout becomes the session's layout.
  case finish
  /// The old layout remains.
  case cancel
}

/// A client's report that it has applied a frame and all frames before it, or could not apply it.
public struct FrameAck: Hashable, Sendable {
  /// The sequence number of the frame; 0 = the acknowledgement is ignored.
  public var sequence: UInt64
  /// The checksum of the client's elements after this frame; nil = it is not compared. A keyframe
  /// follows where it differs from the session's.
  public var stateChecksum: UInt32?
  /// Whether the client could not apply the frame: a keyframe follows.
  public var isRejected: Bool

  /// An acknowledgement of a frame.
  public init(sequence: UInt64, stateChecksum: UInt32? = nil, isRejected: Bool = false) {
    self.sequence = sequence
    self.stateChecksum = stateChecksum
    self.isRejected = isRejected
  }
}
