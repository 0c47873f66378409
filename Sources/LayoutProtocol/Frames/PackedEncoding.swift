// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

extension FrameEncoder {
  /// The elements of a frame as columns of integers, in as many parts as they need.
  ///
  /// - Returns: roughly the bytes of the last part's elements.
  mutating func writePacked(of frame: SessionFrame, to parts: inout FramePartsWriter) -> Int {
    if frame.isKeyframe { toldKinds = 0 }
    var byteCount = frame.removedSlots.count * 4
    if !frame.removedSlots.isEmpty {
      var runs = RunWriter(field: 3, to: &parts.writer)
      for slot in frame.removedSlots.sorted() {
        runs.append(Int32(clamping: slot), to: &parts.writer)
      }
      runs.end(&parts.writer)
    }
    // Names up to that of the last kind that is used.
    let kindCount =
      toldKinds < frame.kindNames.count
      ? frame.upserts.reduce(0) { max($0, Int($1.element.kind) + 1) } : 0
    while toldKinds < min(kindCount, frame.kindNames.count) {
      let name = frame.kindNames[toldKinds]
      byteCount += 3 + name.utf8.count
      parts.writer.present(6, name)
      toldKinds += 1
    }
    let count = frame.upserts.count
    return unsafe withUnsafeTemporaryAllocation(of: PackedRow.self, capacity: count) { rows in
      unsafe withUnsafeTemporaryAllocation(of: PackedShift.self, capacity: count) { shifts in
        writePacked(
          of: frame,
          to: &parts,
          byteCount: byteCount,
          rows: PackedColumns(unitsPerPoint: unitsPerPoint, rows: unsafe TemporaryRows(rows)),
          shifts: IndexShifts(unsafe TemporaryRows(shifts))
        )
      }
    }
  }

  private func writePacked(
    of frame: SessionFrame,
    to parts: inout FramePartsWriter,
    byteCount: Int,
    rows: consuming PackedColumns,
    shifts: consuming IndexShifts
  ) -> Int {
    var byteCount = byteCount
    for index in frame.upserts.indices {
      let element = frame.upserts[index]
      // A shift says nothing about attributes, so it never needs to be an exception.
      if element.isShiftOnly, shifts.append(element) { continue }
      let key = index < frame.itemKeys.count ? frame.itemKeys[index] : ""
      let edges = PackedEdges(element.element.frame, rows.units)
      let fits = rows.fits(element, edges, extra: frame.extra(of: element))
      let size = fits ? 45 + key.utf8.count : frame.byteCount(of: element, itemKey: key)
      if byteCount > 0, byteCount + size > partBytes {
        rows.write(to: &parts.writer, itemKeys: frame.itemKeys)
        parts.nextPart()
        byteCount = 0
      }
      byteCount += size
      if fits {
        rows.append(element, edges, index: index)
      } else {
        parts.writer.element(19, element, of: frame, itemKey: key)
      }
    }
    rows.write(to: &parts.writer, itemKeys: frame.itemKeys)
    // Shifts are applied before the upserts of the same part; they concern other slots, so the last
    // part is as good as any.
    return byteCount + shifts.write(to: &parts.writer) * 3
  }
}

/// Writes a column of runs: pairs of a difference and how often it comes in a row.
struct RunWriter {
  private let start: WireWriter.Start
  private var previous: Int32 = 0
  private var difference: Int32 = 0
  private var length: Int32 = 0

  init(field: Int, to writer: inout WireWriter) { start = writer.begin(field) }

  @inline(__always)
  mutating func append(_ value: Int32, to writer: inout WireWriter) {
    let new = value &- previous
    previous = value
    if new == difference {
      length += 1
    } else {
      flush(&writer)
      difference = new
      length = 1
    }
  }

  private func flush(_ writer: inout WireWriter) {
    guard length > 0 else { return }
    writer.zigzag(difference)
    writer.zigzag(length)
  }

  func end(_ writer: inout WireWriter) {
    flush(&writer)
    writer.end(start)
  }
}

/// Gathers elements of which nothing changed but the index path.
private struct IndexShifts: ~Copyable {
  private var shifts: TemporaryRows<PackedShift>

  init(_ shifts: consuming TemporaryRows<PackedShift>) { self.shifts = shifts }

  /// Takes an element, unless its shift is too large.
  mutating func append(_ element: FrameElement) -> Bool {
    let from = element.previousPath
    let to = element.element.indexPath
    let section = to.section - from.section
    let item = (to.item ?? 0) - (from.item ?? 0)
    guard Int64(element.slot) < maxPacked, section.magnitude < UInt(maxPacked),
      item.magnitude < UInt(maxPacked), (from.item == nil) == (to.item == nil)
    else { return false }
    shifts.append(
      PackedShift(
        slot: Int32(truncatingIfNeeded: element.slot),
        section: Int32(truncatingIfNeeded: section),
        item: Int32(truncatingIfNeeded: item)
      )
    )
    return true
  }

  /// Groups of four: the first slot's difference from the last one of the group before, how many
  /// consecutive slots, their section shift and their item shift.
  ///
  /// - Returns: how many numbers were written.
  mutating func write(to writer: inout WireWriter) -> Int {
    let count = shifts.count
    guard count > 0 else { return 0 }
    shifts.sort { $0.slot < $1.slot }
    let start = writer.begin(20)
    var numbers = 0
    var last: Int32 = 0
    var index = 0
    while index < count {
      let first = shifts[index]
      var length: Int32 = 1
      while index + 1 < count, shifts[index + 1].follows(shifts[index]) {
        index += 1
        length += 1
      }
      writer.zigzag(first.slot - last)
      writer.zigzag(length)
      writer.zigzag(first.section)
      writer.zigzag(first.item)
      numbers += 4
      last = shifts[index].slot
      index += 1
    }
    writer.end(start)
    return numbers
  }
}

private struct PackedShift: BitwiseCopyable {
  var slot: Int32
  var section: Int32
  var item: Int32

  func follows(_ other: PackedShift) -> Bool {
    slot == other.slot + 1 && section == other.section && item == other.item
  }
}
