// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

/// A live element as a client holds it.
public struct MirroredElement: Hashable, Sendable {
  /// A small number that identifies the element while it is live; reused after that.
  public var slot: UInt32
  /// What the element is: category, kind and index path.
  public var key: ElementKey
  /// Frame, transform, alpha and the like, in content coordinates.
  public var attributes: LayoutAttributes
  /// The key of the element's item; "" = it has none, or the client did not ask for item keys.
  public var itemKey: String
  /// How far the element follows the scroll offset, for clients that pin elements themselves; nil =
  /// it does not, or the server pins it.
  public var pin: PinRange?
  /// The place of the element's item in its outline.
  public var outline: OutlineMark
  /// Whether effects that name no axis follow the axis across `ScrollEffects.axis`. In a section
  /// that the client scrolls itself: whether the element is where it is at offset 0 of its section.
  public var scrollsAcross: Bool
  /// The key of the section of an element without an item; "" = it has none, or the client did not
  /// ask for section keys.
  public var sectionKey: String
  /// What the element's item carries for renderers; "" = nothing, or the client did not ask for
  /// item data.
  public var itemData: String

  /// An element in a slot.
  public init(
    slot: UInt32,
    key: ElementKey,
    attributes: LayoutAttributes,
    itemKey: String = "",
    pin: PinRange? = nil,
    outline: OutlineMark = .none,
    scrollsAcross: Bool = false,
    sectionKey: String = "",
    itemData: String = ""
  ) {
    self.slot = slot
    self.key = key
    self.attributes = attributes
    self.itemKey = itemKey
    self.pin = pin
    self.outline = outline
    self.scrollsAcross = scrollsAcross
    self.sectionKey = sectionKey
    self.itemData = itemData
  }
}

/// What applying one frame changed.
public struct MirroredChange: Hashable, Sendable {
  /// The frame's number.
  public var frame: UInt64
  /// Whether the frame replaced all elements.
  public var isKeyframe: Bool
  /// The number of events merged into the frame besides the first.
  public var mergedEvents = 0
  /// What the client adds to its content offset, in points, so that the anchored element does not
  /// jump.
  public var offsetAdjustment = Point.zero
  /// The slots whose element is new or changed.
  public var upserts: [UInt32] = []
  /// The elements that are no longer live, as they last were. For a keyframe, all that were live
  /// before.
  public var removed: [MirroredElement] = []
  /// Whether the client should animate the change.
  public var isAnimated = false
  /// Initial attributes of elements that the frame adds, from which they are animated.
  public var appearing: [MirroredElement] = []
  /// Final attributes of elements that the frame removes, to which they are animated.
  public var disappearing: [MirroredElement] = []

  init(frame: UInt64, isKeyframe: Bool) {
    self.frame = frame
    self.isKeyframe = isKeyframe
  }
}

/// Why a frame could not be applied. The client rejects the frame, and the server sends a keyframe.
public enum MirrorFault: Error, Hashable, Sendable {
  /// The frame contradicts the protocol; the text says how.
  case malformed(String)
  /// The frame builds on frame `found`; the newest one here is `expected`.
  case wrongBase(found: UInt64, expected: UInt64)
  /// The frame empties or shifts a slot that is empty.
  case emptySlot(UInt32)
  /// After the frame `found` elements are live; the server states `expected`.
  case wrongCount(found: Int, expected: Int)
  /// After the frame the checksum of the elements is `found`; the server states `expected`.
  case wrongChecksum(found: UInt32, expected: UInt32)
  /// The frame, or the elements after it, are more than `MirrorLimits` allow; the text says how
  /// many.
  case tooLarge(String)
}

extension MirroredElement {
  /// Reads the message of an element.
  init(_ message: Wire.LayoutElement, _ reader: inout FieldReader) {
    self.init(
      slot: message.slot,
      key: reader.elementKey(message.key, "key"),
      attributes: reader.attributes(message.attributes, "attributes"),
      itemKey: message.itemKey,
      pin: message.hasPin ? reader.pinRange(message.pin, "pin") : nil,
      outline: OutlineMark(message.outline),
      scrollsAcross: message.scrollsAcross,
      sectionKey: message.sectionKey,
      itemData: message.itemData
    )
  }
}
