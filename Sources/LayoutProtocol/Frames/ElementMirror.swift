// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
public import LayoutGeometry
public import LayoutSession

/// What a renderer holds of a session: the elements by slot, kept right frame by frame.
///
/// Frames of either encoding may come. Every frame is checked: that it builds on the one before,
/// that the slots it empties are filled, how many elements live after it, and their checksum where
/// the server sends one.
public struct ElementMirror: Sendable {
  /// The elements by slot.
  public private(set) var elements: [UInt32: MirroredElement] = [:]
  /// The newest frame that was applied; 0 = none.
  public private(set) var frameSequence: UInt64 = 0
  public private(set) var dataVersion: UInt64 = 0
  public private(set) var layoutVersion: UInt64 = 0
  /// The newest event that the elements reflect.
  public private(set) var appliedEvent: UInt64 = 0
  public private(set) var contentSize = Size.zero
  /// The elements are complete inside this rect.
  public private(set) var coverage = Rect.zero
  public private(set) var scrollSensitivity = ScrollSensitivity.coverage
  /// The sum over all elements: see `StateChecksum`.
  public private(set) var stateChecksum: UInt32 = 0

  public let unitsPerPoint: Int
  private var hashes: [UInt32: UInt32] = [:]
  private var kindHashes: [String: UInt32] = [:]
  /// As gathered since the keyframe, for the packed encoding.
  private var kindNames: [String] = []
  /// Parts of the frame that is coming.
  private var parts: [Wire.LayoutFrame] = []
  /// No server cuts a frame into more.
  private static let maxParts = 16_384

  /// - Parameter unitsPerPoint: as granted by the server.
  public init(unitsPerPoint: Int = 64) { self.unitsPerPoint = unitsPerPoint }

  public var liveCount: Int { elements.count }

  /// The slot of an element; nil = it is not live.
  ///
  /// - Complexity: O(elements).
  public func slot(of key: ElementKey) -> UInt32? {
    elements.first { $0.value.key == key }?.key
  }

  /// The slot of the item with this key of the data; nil = it is not live, or keys were not asked
  /// for.
  ///
  /// - Complexity: O(elements).
  public func slot(ofItemKey key: String) -> UInt32? {
    elements.first { $0.value.itemKey == key && $0.value.key.category == .cell }?.key
  }

  /// Whether a heartbeat says the same as this mirror about the frame that both are at.
  package func agrees(with heartbeat: Wire.Heartbeat) -> Bool {
    guard heartbeat.lastFrameSeq == frameSequence else { return true }
    return Int(heartbeat.liveCount) == liveCount
      && (!heartbeat.hasStateChecksum || heartbeat.stateChecksum == stateChecksum)
  }

  /// Forgets the parts of a frame whose stream broke before its last one.
  package mutating func forgetParts() { parts = [] }

  /// Takes a frame or a part of one, and applies it with its last part.
  ///
  /// After an error the elements are no longer to be trusted: the frame is to be rejected, and the
  /// keyframe that the server then sends mends everything.
  /// - Returns: what changed; nil while more parts follow.
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
    try takeHeader(of: last, into: &change)
    return change
  }

  private mutating func takeHeader(
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

  // MARK: - Elements and their sum

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

  private mutating func remove(_ slot: UInt32) -> MirroredElement? {
    stateChecksum &-= hashes.removeValue(forKey: slot) ?? 0
    return elements.removeValue(forKey: slot)
  }
}
