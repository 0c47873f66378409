// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutSession

/// What one frame changes, read part by part.
struct FrameChanges {
  /// The number of the frame.
  let sequence: UInt64
  /// The frame that it builds on; 0 = it is a keyframe.
  let base: UInt64
  /// The kinds that the frame's elements may have.
  private(set) var kinds: KindNames
  private(set) var removed: [UInt32] = []
  private(set) var shifts: [IndexShift] = []
  private(set) var upserts: [MirroredElement] = []
  /// The effects that the client applies after the frame; nil = as before.
  private(set) var scrollEffects: ScrollEffects?
  /// The sections that scroll by themselves after the frame; nil = as before.
  private(set) var sectionScrolls: [SectionScrollState]?
  private var upsertBytes = 0
  private var partCount = PartCount()

  /// Begins with the first part of a frame, whose elements are still to be added.
  ///
  /// - Parameter kinds: those sent before; a keyframe does not need them.
  init(_ first: Wire.LayoutFrame, kinds: KindNames) {
    sequence = first.frameSeq
    base = first.baseFrameSeq
    self.kinds = base == 0 ? KindNames() : kinds
    scrollEffects = base == 0 ? ScrollEffects.none : nil
    sectionScrolls = base == 0 ? [] : nil
  }

  /// Adds the elements of a part, in either encoding.
  ///
  /// Elements are counted before any of them is made. One part may exceed the limit of bytes before
  /// it is refused, by what its message holds.
  /// - Throws: `MirrorFault.malformed`, `.tooLarge`. The frame is not used after that.
  mutating func add(
    _ part: Wire.LayoutFrame,
    unitsPerPoint: Int,
    within limits: MirrorLimits
  ) throws(MirrorFault) {
    try partCount.add(part, within: limits)
    var reader = FieldReader(limit: .greatestFiniteMagnitude)
    let count = upserts.count
    if part.hasScrollEffects {
      scrollEffects = reader.scrollEffects(part.scrollEffects, "scroll_effects")
    }
    if part.hasSectionScrolls {
      sectionScrolls = reader.sectionScrolls(part.sectionScrolls, "section_scrolls")
    }
    switch part.body {
    case .elements(let changes):
      removed += changes.removedSlots
      upserts += reader.each(changes.upserts, "upserts") { MirroredElement($0, &$1) }
    case .packed(let packed):
      try kinds.append(packed.kindNames)
      var columns = PackedReader()
      removed += columns.slots(packed.removedSlotRuns)
      shifts += columns.shifts(packed.indexShiftRuns)
      upserts += columns.elements(packed, kindNames: kinds.names, unitsPerPoint: unitsPerPoint)
      if let fault = columns.fault { throw .malformed(fault) }
      upserts += reader.each(packed.exceptions, "exceptions") { MirroredElement($0, &$1) }
    case nil: break
    }
    do { try reader.finish() } catch { throw .malformed(error.message) }
    for element in upserts[count...] { upsertBytes += element.byteCount }
    let bytes = upsertBytes + kinds.byteCount
    guard bytes <= limits.bytes else {
      throw .tooLarge("frame \(sequence) takes \(bytes) bytes or more; \(limits.bytes) are allowed")
    }
  }
}

/// The kind names that the packed encoding has sent since the keyframe, in order.
struct KindNames: Sendable {
  private(set) var names: [String] = []
  /// The memory that they take, in bytes: an estimate.
  private(set) var byteCount = 0

  /// The most names. The server has no number for more of them.
  static let maxCount = 1 << 16

  /// - Throws: `MirrorFault.malformed`
  mutating func append(_ more: [String]) throws(MirrorFault) {
    guard more.count <= Self.maxCount - names.count else {
      throw .malformed(
        "kind_names has \(more.count) names after \(names.count); \(Self.maxCount) in all are allowed"
      )
    }
    for name in more where name.utf8.count > FieldReader.maxNameBytes {
      throw .malformed(
        "kind_names has a name of \(name.utf8.count) bytes; \(FieldReader.maxNameBytes) are allowed"
      )
    }
    names += more
    for name in more { byteCount += MemoryLayout<String>.stride + name.utf8.count }
  }
}

extension MirroredElement {
  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int {
    MemoryLayout<MirroredElement>.stride + key.kind.utf8.count + itemKey.utf8.count
      + sectionKey.utf8.count + itemData.utf8.count
      + (attributes.custom.map { CustomValue.object($0).byteCount } ?? 0)
  }
}

extension IndexPath {
  /// The index path after a shift. The sums cannot overflow: indices and shifts come from 32-bit
  /// numbers.
  ///
  /// - Returns: nil = the result is negative or above `FieldReader.maxIndex`.
  func shifted(by shift: IndexShift) -> IndexPath? {
    let section = section + shift.section
    guard section >= 0, section <= Int(FieldReader.maxIndex) else { return nil }
    guard let item else { return IndexPath(section: section) }
    let shifted = item + shift.item
    guard shifted >= 0, shifted <= Int(FieldReader.maxIndex) else { return nil }
    return IndexPath(section: section, item: shifted)
  }
}
