// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
public import LayoutGeometry
public import LayoutSession

/// A client's copy of the live elements of a session, updated frame by frame.
///
/// Frames may come in either encoding. Every frame is verified: that it builds on the one before, that the
/// slots it empties are filled, and that number and checksum of the elements after it are those that the
/// server states.
public struct ElementMirror: Sendable {
  /// The live elements by slot.
  public private(set) var elements: [UInt32: MirroredElement] = [:]
  /// The newest frame that was applied; 0 = none.
  public private(set) var frameSequence: UInt64 = 0
  /// The data version that the elements reflect.
  public private(set) var dataVersion: UInt64 = 0
  /// The layout version that the elements reflect. It grows whenever geometry may differ for the same data:
  /// with changes of layout, viewport size, traits or measurements.
  public private(set) var layoutVersion: UInt64 = 0
  /// The newest event that the elements reflect.
  public private(set) var appliedEvent: UInt64 = 0
  /// The size of the scrollable content, in points.
  public private(set) var contentSize = Size.zero
  /// The rect, in content coordinates, inside which the elements are complete.
  public private(set) var coverage = Rect.zero
  /// When the client reports scrolling: with every step, or when the visible rect nears the edge of
  /// `coverage`.
  public private(set) var scrollSensitivity = ScrollSensitivity.coverage
  /// The checksum of all elements (`StateChecksum`).
  public private(set) var stateChecksum: UInt32 = 0

  /// The units of a point in the packed encoding and in checksums, as granted by the server.
  public let unitsPerPoint: Int
  /// The checksum of each element by slot; `stateChecksum` is their wrapping sum.
  private var hashes: [UInt32: UInt32] = [:]
  private var kindHashes: [String: UInt32] = [:]
  /// The kind names that the packed encoding has sent since the keyframe, in order.
  private var kindNames: [String] = []
  /// The parts of the next frame that have arrived.
  private var parts: [Wire.LayoutFrame] = []
  /// The most parts of a frame that are accepted. No server sends so many.
  private static let maxParts = 16_384

  /// A mirror without elements.
  ///
  /// - Parameter unitsPerPoint: as granted by the server.
  public init(unitsPerPoint: Int = 64) { self.unitsPerPoint = unitsPerPoint }

  /// The number of live elements.
  public var liveCount: Int { elements.count }

  /// The slot of an element; nil = it is not live.
  ///
  /// - Complexity: O(elements).
  public func slot(of key: ElementKey) -> UInt32? {
    elements.first { $0.value.key == key }?.key
  }

  /// The slot of the item with this key; nil = it is not live, or the client did not ask for item keys.
  ///
  /// - Complexity: O(elements).
  public func slot(ofItemKey key: String) -> UInt32? {
    elements.first { $0.value.itemKey == key && $0.value.key.category == .cell }?.key
  }

  /// Whether a heartbeat's element count and checksum are those of this mirror. True if it is about another
  /// frame than the newest one here.
  package func agrees(with heartbeat: Wire.Heartbeat) -> Bool {
    guard heartbeat.lastFrameSeq == frameSequence else { return true }
    return Int(heartbeat.liveCount) == liveCount
      && (!heartbeat.hasStateChecksum || heartbeat.stateChecksum == stateChecksum)
  }

  /// Drops the parts of an incomplete frame, after the stream broke.
  package mutating func forgetParts() { parts = [] }

  /// Takes a frame or a part of one. A frame is applied when its last part arrives.
  ///
  /// After an error the elements may be inconsistent. The caller rejects the frame, and the keyframe that
  /// the server then sends replaces all elements.
  ///
  /// - Returns: what changed; nil = more parts follow.
  /// - Throws: `MirrorFault`
  /// - Complexity: O(elements of the frame), and O(all elements) for a keyframe.
  package mutating func apply(
    _ message: Wire.LayoutFrame
  ) throws(MirrorFault) -> MirroredChange? {
    if let first = parts.first,
      first.frameSeq != message.frameSeq || first.baseFrameSeq != message.baseFrameSeq
    {
      parts = []
      throw .malformed("a part of frame \(message.frameSeq) inside frame \(first.frameSeq)")
    }
    guard parts.count < Self.maxParts else {
      parts = []
      throw .malformed("frame \(message.frameSeq) has more than \(Self.maxParts) parts")
    }
    parts.append(message)
    if message.continued { return nil }
    defer { parts = [] }
    return try applyParts(last: message)
  }

  private mutating func applyParts(
    last: Wire.LayoutFrame
  ) throws(MirrorFault) -> MirroredChange {
    let isKeyframe = last.baseFrameSeq == 0
    guard isKeyframe || last.baseFrameSeq == frameSequence else {
      throw .wrongBase(found: last.baseFrameSeq, expected: frameSequence)
    }
    guard last.frameSeq > frameSequence else {
      throw .malformed("frame \(last.frameSeq) after frame \(frameSequence)")
    }
    var names = isKeyframe ? [] : kindNames
    let changes = try FrameChanges(parts, kindNames: &names, unitsPerPoint: unitsPerPoint)
    var change = MirroredChange(frame: last.frameSeq, isKeyframe: isKeyframe)
    if isKeyframe {
      change.removed = elements.values.sorted { $0.slot < $1.slot }
      elements = [:]
      hashes = [:]
      stateChecksum = 0
    }
    kindNames = names
    for slot in changes.removed {
      guard let element = remove(slot) else { throw .emptySlot(slot) }
      change.removed.append(element)
    }
    for shift in changes.shifts {
      guard var element = elements[shift.slot] else { throw .emptySlot(shift.slot) }
      guard let path = element.key.indexPath.shifted(by: shift) else {
        throw .malformed("slot \(shift.slot) is shifted to an impossible index path")
      }
      element.key.indexPath = path
      put(element)
      change.upserts.append(shift.slot)
    }
    for element in changes.upserts {
      put(element)
      change.upserts.append(element.slot)
    }
    guard elements.count == Int(last.liveCount) else {
      throw .wrongCount(found: elements.count, expected: Int(last.liveCount))
    }
    if last.hasStateChecksum, last.stateChecksum != stateChecksum {
      throw .wrongChecksum(found: stateChecksum, expected: last.stateChecksum)
    }
    try applyHeader(of: last, into: &change)
    return change
  }

  /// Takes over everything of a frame but its elements. Changes nothing if a field is invalid.
  private mutating func applyHeader(
    of message: Wire.LayoutFrame,
    into change: inout MirroredChange
  ) throws(MirrorFault) {
    var reader = FieldReader(limit: .greatestFiniteMagnitude)
    let size = message.hasContentSize ? reader.size(message.contentSize, "content_size") : nil
    let coverage = message.hasCoverage ? reader.rect(message.coverage, "coverage") : nil
    change.offsetAdjustment = reader.point(
      message.contentOffsetAdjustment,
      "content_offset_adjustment"
    )
    if message.hasTransition {
      change.isAnimated = message.transition.animated
      change.appearing = reader.each(message.transition.appearing, "appearing") {
        MirroredElement($0, &$1)
      }
      change.disappearing = reader.each(message.transition.disappearing, "disappearing") {
        MirroredElement($0, &$1)
      }
    }
    do { try reader.finish() } catch { throw .malformed(error.message) }
    if let size { contentSize = size }
    if let coverage { self.coverage = coverage }
    frameSequence = message.frameSeq
    dataVersion = message.dataVersion
    layoutVersion = message.layoutVersion
    appliedEvent = message.appliedEventSeq
    change.mergedEvents = Int(message.mergedEvents)
    scrollSensitivity = message.scrollSensitivity == .everyScroll ? .everyScroll : .coverage
  }

  // MARK: - Elements and their checksum

  /// Inserts or replaces the element in a slot.
  private mutating func put(_ element: MirroredElement) {
    let kind = element.key.kind
    let kindHash = kindHashes[kind] ?? StateChecksum.hash(ofKind: kind)
    kindHashes[kind] = kindHash
    let hash = StateChecksum.hash(
      of: LayoutElement(
        category: element.key.category,
        kind: 0,
        indexPath: element.key.indexPath,
        frame: element.attributes.frame,
        zIndex: Int32(clamping: element.attributes.zIndex),
        alpha: element.attributes.alpha,
        isHidden: element.attributes.isHidden
      ),
      kindHash: kindHash,
      unitsPerPoint: unitsPerPoint
    )
    stateChecksum &-= hashes.updateValue(hash, forKey: element.slot) ?? 0
    stateChecksum &+= hash
    elements[element.slot] = element
  }

  /// Removes the element in a slot; nil = the slot is empty.
  private mutating func remove(_ slot: UInt32) -> MirroredElement? {
    stateChecksum &-= hashes.removeValue(forKey: slot) ?? 0
    return elements.removeValue(forKey: slot)
  }
}
