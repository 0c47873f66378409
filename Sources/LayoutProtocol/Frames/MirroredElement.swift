// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
public import LayoutGeometry

/// An element as a renderer holds it.
public struct MirroredElement: Hashable, Sendable {
  /// A small number for the view; an element keeps it while it lives.
  public var slot: UInt32
  public var key: ElementKey
  public var attributes: LayoutAttributes
  /// The data's own identifier of the item; "" = none, or not asked for.
  public var itemKey: String
  /// For renderers that pin by themselves.
  public var pin: PinRange?

  public init(
    slot: UInt32,
    key: ElementKey,
    attributes: LayoutAttributes,
    itemKey: String = "",
    pin: PinRange? = nil
  ) {
    self.slot = slot
    self.key = key
    self.attributes = attributes
    self.itemKey = itemKey
    self.pin = pin
  }
}

/// What one frame changed.
public struct MirroredChange: Hashable, Sendable {
  public var frame: UInt64
  public var isKeyframe: Bool
  /// Events merged into the frame beyond the first.
  public var mergedEvents = 0
  /// To be added to the content offset, so that what is anchored does not jump.
  public var offsetAdjustment = Point.zero
  /// Slots whose element is new or changed.
  public var upserts: [UInt32] = []
  /// Elements that are gone, as they were. With a keyframe all that were there.
  public var removed: [MirroredElement] = []
  public var isAnimated = false
  /// Initial attributes of elements that the frame adds.
  public var appearing: [MirroredElement] = []
  /// Final attributes of elements that the frame removes.
  public var disappearing: [MirroredElement] = []

  init(frame: UInt64, isKeyframe: Bool) {
    self.frame = frame
    self.isKeyframe = isKeyframe
  }
}

/// Why a frame could not be applied.
public enum MirrorFault: Error, Hashable, Sendable {
  case malformed(String)
  /// The frame changes another frame than the newest one here.
  case wrongBase(found: UInt64, expected: UInt64)
  /// The frame empties or shifts a slot that is not filled.
  case emptySlot(UInt32)
  case wrongCount(found: Int, expected: Int)
  case wrongChecksum(found: UInt32, expected: UInt32)
}

extension MirroredElement {
  init(_ message: Wire.LayoutElement, _ reader: inout FieldReader) {
    self.init(
      slot: message.slot,
      key: reader.elementKey(message.key, "key"),
      attributes: reader.attributes(message.attributes, "attributes"),
      itemKey: message.itemKey,
      pin: message.hasPin ? reader.pinRange(message.pin, "pin") : nil
    )
  }
}

/// The elements of all parts of one frame.
struct FrameChanges {
  var removed: [UInt32] = []
  var shifts: [IndexShift] = []
  var upserts: [MirroredElement] = []

  /// - Parameter kindNames: as gathered before this frame, and grown by it.
  init(
    _ parts: [Wire.LayoutFrame],
    kindNames: inout [String],
    unitsPerPoint: Int
  ) throws(MirrorFault) {
    var reader = FieldReader(limit: .greatestFiniteMagnitude)
    for part in parts {
      switch part.body {
      case .elements(let changes):
        removed += changes.removedSlots
        upserts += reader.each(changes.upserts, "upserts") { MirroredElement($0, &$1) }
      case .packed(let packed):
        kindNames += packed.kindNames
        var columns = PackedReader()
        removed += columns.slots(packed.removedSlotRuns)
        shifts += columns.shifts(packed.indexShiftRuns)
        upserts += columns.elements(packed, kindNames: kindNames, unitsPerPoint: unitsPerPoint)
        if let fault = columns.fault { throw .malformed(fault) }
        upserts += reader.each(packed.exceptions, "exceptions") { MirroredElement($0, &$1) }
      case nil: break
      }
    }
    do { try reader.finish() } catch { throw .malformed(error.message) }
  }
}

extension IndexPath {
  /// - Returns: nil where the shift leads out of what an index path can be.
  func shifted(by shift: IndexShift) -> IndexPath? {
    let section = section + shift.section
    guard section >= 0, section <= Int(FieldReader.maxIndex) else { return nil }
    guard let item else { return IndexPath(section: section) }
    let shifted = item + shift.item
    guard shifted >= 0, shifted <= Int(FieldReader.maxIndex) else { return nil }
    return IndexPath(section: section, item: shifted)
  }
}
