// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

extension FrameEncoder {
  /// Writes the elements of a frame as columns of integers, in as many parts as they need.
  ///
  /// - Returns: roughly the bytes of the last part's elements.
  mutating func writePacked(of frame: SessionFrame, to parts: inout FramePartsWriter) -> Int {
    if frame.isKeyframe { toldKinds = 0 }
    var byteCount = frame.removedSlots.count * 4 + parts.headByteCount
    if !frame.removedSlots.isEmpty {
      var runs = RunWriter(field: 3, to: &parts.writer)
      for slot in frame.removedSlots.sorted() {
        runs.append(Int32(clamping: slot), to: &parts.writer)
      }
      runs.end(&parts.writer)
    }
    // Send the names that have not been sent yet, up to that of the highest kind in this frame.
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
          rows: PackedColumns(
            unitsPerPoint: unitsPerPoint,
            scrollsSections: scrollsSections,
            rows: unsafe TemporaryRows(rows)
          ),
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
      // An element that only moved to another index path takes four numbers at most, whatever its
      // attributes.
      if element.isShiftOnly, shifts.append(element) { continue }
      let texts = frame.texts(at: index)
      let edges = PackedEdges(element.element.frame, rows.units)
      let fits = rows.fits(element, edges, extra: frame.extra(of: element))
      let size = fits ? 49 + texts.byteCount : frame.byteCount(of: element, texts)
      if byteCount > 0, byteCount + size > partBytes {
        rows.write(to: &parts.writer, keys: frame.keys, data: frame.itemData)
        parts.nextPart()
        byteCount = 0
      }
      byteCount += size
      if fits {
        rows.append(element, edges, index: index)
      } else {
        parts.writer.element(19, element, of: frame, texts)
      }
    }
    rows.write(to: &parts.writer, keys: frame.keys, data: frame.itemData)
    // Clients apply shifts before upserts. They are about other slots, so any part could have them.
    return byteCount + shifts.write(to: &parts.writer) * 3
  }
}

/// Writes a column of runs: pairs of a difference from the value before and how often it is
/// repeated.
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

/// Collects elements of which only the index path has changed.
private struct IndexShifts: ~Copyable {
  private var shifts: TemporaryRows<PackedShift>

  init(_ shifts: consuming TemporaryRows<PackedShift>) { self.shifts = shifts }

  /// Adds an element.
  ///
  /// - Returns: false = its shift is too large for 31 bits, and it has to be written as a whole.
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

  /// Writes groups of four numbers: the difference of the first slot from the last one of the group
  /// before, the number of consecutive slots, their section shift and their item shift.
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
