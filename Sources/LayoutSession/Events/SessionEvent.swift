// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import LayoutGeometry

/// What a client tells a session.
public enum SessionEvent: Sendable {
  case viewport(ViewportChange)
  case update(UpdateBatch)
  case layout(LayoutChange)
  case measurements(MeasurementReport)
  case options(SessionOptions)
  /// The client's elements are wrong or gone: a keyframe follows.
  case resync
  case close(discard: Bool)
  case scrollTarget(ScrollRequest)
  case movement(InteractiveMovement)
  case transition(InteractiveTransition)
  /// Marks geometry as out of date without new data; none named = everything.
  case invalidation([ElementKey])
  /// An event that this server does not know, by its name.
  case unsupported(String)
}

/// A change of what the client sees. nil = as before.
public struct ViewportChange: Hashable, Sendable {
  /// The frame in whose coordinates the offset was read: later offset adjustments are added to it.
  public var observedFrame: UInt64
  /// The top-left corner of the viewport in content coordinates.
  public var offset: Point?
  public var size: Size?
  public var insets: EdgeInsets?
  /// Points per second.
  public var velocity: Point?
  /// Of sections that scroll orthogonally; those not named are as before.
  public var sectionOffsets: [Int: Double]
  public var traits: Traits?

  public struct Traits: Hashable, Sendable {
    /// Pixels to a point.
    public var displayScale: Double
    public var isRightToLeft: Bool

    public init(displayScale: Double = 1, isRightToLeft: Bool = false) {
      self.displayScale = displayScale
      self.isRightToLeft = isRightToLeft
    }
  }

  public init(
    observedFrame: UInt64 = 0,
    offset: Point? = nil,
    size: Size? = nil,
    insets: EdgeInsets? = nil,
    velocity: Point? = nil,
    sectionOffsets: [Int: Double] = [:],
    traits: Traits? = nil
  ) {
    self.observedFrame = observedFrame
    self.offset = offset
    self.size = size
    self.insets = insets
    self.velocity = velocity
    self.sectionOffsets = sectionOffsets
    self.traits = traits
  }
}

public struct LayoutChange: Sendable {
  public var layout: LayoutConfiguration
  public var isAnimated: Bool

  public init(layout: LayoutConfiguration, isAnimated: Bool = false) {
    self.layout = layout
    self.isAnimated = isAnimated
  }
}

/// Sizes that the renderer measured for self-sizing elements.
public struct MeasurementReport: Hashable, Sendable {
  /// Slots that hold another element in this frame than now are passed over.
  public var observedFrame: UInt64
  public var slots: [UInt32]
  /// One for each slot.
  public var sizes: [Size]

  public init(observedFrame: UInt64, slots: [UInt32], sizes: [Size]) {
    self.observedFrame = observedFrame
    self.slots = slots
    self.sizes = sizes
  }
}

/// Asks where to scroll.
public enum ScrollRequest: Hashable, Sendable {
  /// The finger lifts. With a section its own offsets along its axis are meant.
  case release(proposedOffset: Point, velocity: Point, section: Int?)
  case element(ElementKey, at: ScrollPosition)
  case item(key: String, at: ScrollPosition)
}

/// Reordering by hand.
public enum InteractiveMovement: Hashable, Sendable {
  case begin(IndexPath)
  /// Of the item's centre, in content coordinates.
  case position(Point)
  case end
  case cancel
}

/// A change of layout under the user's control.
public enum InteractiveTransition: Sendable {
  case begin(LayoutConfiguration)
  /// 0…1.
  case progress(Double)
  case finish
  case cancel
}

/// A client's word that a frame and all before it are applied, or that it could not be.
public struct FrameAck: Hashable, Sendable {
  /// 0 = nothing new.
  public var sequence: UInt64
  public var stateChecksum: UInt32?
  public var isRejected: Bool

  public init(sequence: UInt64, stateChecksum: UInt32? = nil, isRejected: Bool = false) {
    self.sequence = sequence
    self.stateChecksum = stateChecksum
    self.isRejected = isRejected
  }
}
