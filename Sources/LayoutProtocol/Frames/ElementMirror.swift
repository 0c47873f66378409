// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
public import LayoutGeometry
public import LayoutSession

/// A client's copy of the live elements of a session, updated frame by frame.
///
/// Frames may come in either encoding. Every frame is verified: that it builds on the one before,
/// that the slots it empties are filled, and that number and checksum of the elements after it are
/// those that the server states. `MirrorLimits` bound what it keeps.
public struct ElementMirror: Sendable {
  /// The live elements by slot.
  public private(set) var elements: [UInt32: MirroredElement] = [:]
  /// The newest frame that was applied; 0 = none.
  public private(set) var frameSequence: UInt64 = 0
  /// The data version that the elements reflect.
  public private(set) var dataVersion: UInt64 = 0
  /// The layout version that the elements reflect. It grows whenever geometry may differ for the
  /// same data: when the layout, the viewport size, the traits or measurements change.
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
  /// The effects that the client applies to the elements: see `seen(_:in:)`. None unless the client
  /// asked for them (`ClientCapabilities.scrollEffects`).
  public private(set) var scrollEffects = ScrollEffects.none
  /// The sections among the elements that scroll by themselves, if the client asked for them
  /// (`ClientCapabilities.sectionScrolls`).
  public private(set) var sectionScrolls: [SectionScrollState] = []
  /// The checksum of all elements (`StateChecksum`).
  public private(set) var stateChecksum: UInt32 = 0

  /// The units of a point in the packed encoding and in checksums, as granted by the server.
  public let unitsPerPoint: Int
  private let limits: MirrorLimits
  /// The checksum of each element by slot; `stateChecksum` is their wrapping sum.
  private var hashes: [UInt32: ElementHash] = [:]
  /// Counts the frames that were applied, with or without success.
  private var commits: UInt64 = 0
  /// The hashes of some kinds that were met, at most `maxKindHashes`.
  private var kindHashes: [ExactText: UInt32] = [:]
  private static let maxKindHashes = 1024
  private var kinds = KindNames()
  /// The memory that `elements` take, in bytes: an estimate.
  private var elementBytes = 0
  /// The elements that left with frames that were refused after all; nobody was told yet.
  private var lost: [MirroredElement] = []
  /// The parts of the next frame that have arrived; nil = none.
  private var pending: FrameChanges?
  /// The frame of which a part was refused; its further parts are skipped. nil = none.
  private var refused: UInt64?

  /// A mirror without elements.
  ///
  /// - Parameters:
  ///   - unitsPerPoint: as granted by the server.
  ///   - limits: what the mirror may keep.
  public init(unitsPerPoint: Int = 64, limits: MirrorLimits = MirrorLimits()) {
    self.unitsPerPoint = unitsPerPoint
    self.limits = limits
  }

  /// The number of live elements.
  public var liveCount: Int { elements.count }

  /// The slot of an element; nil = it is not live.
  ///
  /// - Complexity: O(elements).
  public func slot(of key: ElementKey) -> UInt32? {
    elements.first { $0.value.key == key && $0.value.key.kind.hasSameBytes(as: key.kind) }?.key
  }

  /// The slot of the item with this key; nil = it is not live, or the client did not ask for item
  /// keys.
  ///
  /// - Complexity: O(elements).
  public func slot(ofItemKey key: String) -> UInt32? {
    elements.first { $0.value.key.category == .cell && $0.value.itemKey.hasSameBytes(as: key) }?.key
  }

  /// The attributes of an element as it is seen in a viewport: with the effects that the client
  /// applies, and where the client has scrolled its section (`viewport.sectionOffsets`). The owner
  /// takes the offsets of `sectionScrolls` in place of its own where a frame says so (`isReset`).
  ///
  /// - Parameter element: a live element of this mirror, or one that appears or disappears. An
  ///   element with a `pin` is at its natural place, but changes according to its pinned place.
  /// - Returns: attributes with the element's own frame.
  public func seen(_ element: MirroredElement, in viewport: Viewport) -> LayoutAttributes {
    var element = element
    if let scroll = clientScroll(of: element) {
      let offset = viewport.sectionOffsets[element.key.indexPath.section] ?? scroll.offset
      let kept = min(max(offset, scroll.minimumOffset), scroll.maximumOffset)
      element.attributes.frame = element.attributes.frame.offset(
        by: Point(x: scroll.direction.x * kept, y: scroll.direction.y * kept)
      )
    }
    return scrollEffects.isEmpty
      ? element.attributes
      : ScrollEffectView(scrollEffects, viewport: viewport).attributes(
        of: element.attributes,
        key: element.key,
        scrollsAcross: element.scrollsAcross,
        pin: element.pin
      )
  }

  /// The section with which the client scrolls an element; nil = the element is where it is seen.
  private func clientScroll(of element: MirroredElement) -> SectionScroll? {
    guard element.scrollsAcross else { return nil }
    let section = element.key.indexPath.section
    let state = sectionScrolls.first { $0.section == section }
    return state?.completeOffsets == nil ? nil : state?.scroll
  }

  /// Whether a heartbeat's element count and checksum are those of this mirror. True if it is about
  /// another frame than the newest one here.
  package func agrees(with heartbeat: Wire.Heartbeat) -> Bool {
    guard heartbeat.lastFrameSeq == frameSequence else { return true }
    return Int(heartbeat.liveCount) == liveCount
      && (!heartbeat.hasStateChecksum || heartbeat.stateChecksum == stateChecksum)
  }

  /// Whether a heartbeat proves by its checksum that the server has the elements of this mirror.
  package func isConfirmed(by heartbeat: Wire.Heartbeat) -> Bool {
    heartbeat.lastFrameSeq == frameSequence && heartbeat.hasStateChecksum && agrees(with: heartbeat)
  }

  /// Drops the parts of an incomplete frame, after the stream broke.
  package mutating func forgetParts() {
    pending = nil
    refused = nil
  }

  /// Takes a frame or a part of one. A frame is applied when its last part arrives.
  ///
  /// After an error the elements may be inconsistent. The caller rejects the frame, and the
  /// keyframe that the server then sends replaces all elements. Further parts of the frame change
  /// nothing.
  ///
  /// - Returns: what changed; nil = more parts follow, or the frame was refused already.
  /// - Throws: `MirrorFault`
  /// - Complexity: O(elements of the frame), and O(all elements) for a keyframe.
  package mutating func apply(
    _ message: Wire.LayoutFrame
  ) throws(MirrorFault) -> MirroredChange? {
    let isRefused = refused == message.frameSeq
    if !isRefused || !message.continued { refused = nil }
    if isRefused { return nil }
    do throws(MirrorFault) {
      var changes = try begun(message)
      try changes.add(message, unitsPerPoint: unitsPerPoint, within: limits)
      guard message.continued else { return try apply(changes, last: message) }
      pending = changes
      return nil
    } catch {
      if message.continued { refused = message.frameSeq }
      throw error
    }
  }

  /// The earlier parts of the frame that a part belongs to; no changes if it is the first.
  private mutating func begun(_ part: Wire.LayoutFrame) throws(MirrorFault) -> FrameChanges {
    if let begun = pending.take() {
      guard begun.sequence == part.frameSeq, begun.base == part.baseFrameSeq else {
        throw .malformed("a part of frame \(part.frameSeq) inside frame \(begun.sequence)")
      }
      return begun
    }
    guard part.baseFrameSeq == 0 || part.baseFrameSeq == frameSequence else {
      throw .wrongBase(found: part.baseFrameSeq, expected: frameSequence)
    }
    guard part.frameSeq > frameSequence else {
      throw .malformed("frame \(part.frameSeq) after frame \(frameSequence)")
    }
    return FrameChanges(part, kinds: kinds)
  }

  private mutating func apply(
    _ changes: FrameChanges,
    last: Wire.LayoutFrame
  ) throws(MirrorFault) -> MirroredChange {
    var change = MirroredChange(frame: changes.sequence, isKeyframe: changes.base == 0)
    change.removed = lost
    lost = []
    do throws(MirrorFault) {
      try apply(changes, last: last, into: &change)
    } catch {
      // They are told with the next frame, unless a server sends more and more that does not fit.
      if change.removed.count <= limits.elements { lost = change.removed }
      throw error
    }
    return change
  }

  private mutating func apply(
    _ changes: FrameChanges,
    last: Wire.LayoutFrame,
    into change: inout MirroredChange
  ) throws(MirrorFault) {
    commits &+= 1
    if change.isKeyframe {
      change.removed += elements.values.sorted { $0.slot < $1.slot }
      removeAll()
    }
    kinds = changes.kinds
    if let effects = changes.scrollEffects { scrollEffects = effects }
    if let scrolls = changes.sectionScrolls { sectionScrolls = scrolls }
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
      try put(element)
      change.upserts.append(shift.slot)
    }
    for element in changes.upserts {
      try put(element)
      change.upserts.append(element.slot)
    }
    try checkLimits()
    guard elements.count == Int(last.liveCount) else {
      throw .wrongCount(found: elements.count, expected: Int(last.liveCount))
    }
    if last.hasStateChecksum, last.stateChecksum != stateChecksum {
      throw .wrongChecksum(found: stateChecksum, expected: last.stateChecksum)
    }
    try applyHeader(of: last, into: &change)
  }

  /// Applies everything of a frame except its elements. Changes nothing if a field is invalid.
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

  /// Drops all elements if they are too many. Otherwise a server whose frames do not fit could add
  /// to them without end.
  private mutating func checkLimits() throws(MirrorFault) {
    let (count, bytes) = (elements.count, elementBytes + kinds.byteCount)
    guard count > limits.elements || bytes > limits.bytes else { return }
    removeAll()
    throw .tooLarge(
      "\(count) elements of \(bytes) bytes are live; \(limits.elements) of \(limits.bytes) bytes are "
        + "allowed"
    )
  }

  /// Inserts or replaces the element in a slot. A frame may do this only once for each slot.
  private mutating func put(_ element: MirroredElement) throws(MirrorFault) {
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
      kindHash: hash(ofKind: element.key.kind),
      unitsPerPoint: unitsPerPoint
    )
    let before = hashes.updateValue(ElementHash(value: hash, commit: commits), forKey: element.slot)
    if let before, before.commit == commits {
      throw .malformed("slot \(element.slot) is put twice in one frame; once is allowed")
    }
    stateChecksum &-= before?.value ?? 0
    stateChecksum &+= hash
    let old = elements.updateValue(element, forKey: element.slot)
    elementBytes += element.byteCount - (old?.byteCount ?? 0)
  }

  private mutating func hash(ofKind kind: String) -> UInt32 {
    let name = ExactText(kind)
    if let hash = kindHashes[name] { return hash }
    let hash = StateChecksum.hash(ofKind: kind)
    if kindHashes.count >= Self.maxKindHashes { kindHashes = [:] }
    if kind.utf8.count <= FieldReader.maxNameBytes { kindHashes[name] = hash }
    return hash
  }

  /// Removes the element in a slot; nil = the slot is empty.
  private mutating func remove(_ slot: UInt32) -> MirroredElement? {
    stateChecksum &-= hashes.removeValue(forKey: slot)?.value ?? 0
    guard let element = elements.removeValue(forKey: slot) else { return nil }
    elementBytes -= element.byteCount
    return element
  }

  private mutating func removeAll() {
    elements = [:]
    hashes = [:]
    stateChecksum = 0
    elementBytes = 0
  }
}

/// The checksum of an element, and the frame that put it.
private struct ElementHash {
  var value: UInt32
  var commit: UInt64
}
