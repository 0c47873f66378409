// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Decodes packed columns. Malformed ones are noted as a fault; nothing traps, whatever they hold.
struct PackedReader {
  /// The first fault; nil = there is none.
  private(set) var fault: String?

  /// Decodes the elements in the columns, not those in `exceptions`.
  ///
  /// - Returns: empty after a fault.
  mutating func elements(
    _ message: Wire.PackedElements,
    kindNames: [String],
    unitsPerPoint: Int
  ) -> [MirroredElement] {
    let count = Int(message.upsertCount)
    // Elements have different slots, so an omitted column, which means zeros, is valid for one
    // element at most.
    if count > 1, message.slotRuns.isEmpty { note("slot_runs is empty for \(count) elements") }
    let slots = runs(message.slotRuns, "slot_runs", count: count)
    guard fault == nil else { return [] }
    let categories = differences(message.categories, "categories", count: count)
    let kinds = differences(message.kinds, "kinds", count: count)
    let sections = differences(message.sections, "sections", count: count)
    let items = runs(message.itemRuns, "item_runs", count: count)
    let xs = differences(message.xs, "xs", count: count)
    let ys = differences(message.ys, "ys", count: count)
    let widths = differences(message.widths, "widths", count: count)
    let heights = differences(message.heights, "heights", count: count)
    let zIndices = differences(message.zIndices, "z_indices", count: count)
    let alphas = plain(message.alphas, "alphas", count: count, default: 65535)
    let hidden = plain(message.hidden, "hidden", count: count, default: false)
    let keys = plain(message.itemKeys, "item_keys", count: count, default: "")
    let data = plain(message.itemData, "item_data", count: count, default: "")
    let sectionKeys = sectionKeys(message.sectionKeys, items)
    let across = plain(message.scrollsAcross, "scrolls_across", count: count, default: false)
    let levels = differences(message.outline.levels, "outline.levels", count: count)
    let states = differences(message.outline.states, "outline.states", count: count)
    let units = Double(unitsPerPoint)
    var elements: [MirroredElement] = []
    guard fault == nil else { return [] }
    var ofSections = 0
    elements.reserveCapacity(count)
    for index in 0 ..< count {
      guard let category = ElementCategory(rawValue: UInt8(clamping: max(1, categories[index]))),
        let kind = name(kinds[index], in: kindNames),
        (0 ... Int64(UInt32.max)).contains(slots[index]),
        (0 ..< Int64(UInt32.max)).contains(sections[index]),
        (0 ... Int64(UInt32.max) - 1).contains(items[index]), widths[index] >= 0,
        heights[index] >= 0
      else {
        note(
          "element \(index) of the columns has a category, kind, slot, index path or size out of range"
        )
        return []
      }
      let path =
        items[index] == 0
        ? IndexPath(section: Int(sections[index]))
        : IndexPath(section: Int(sections[index]), item: Int(items[index]) - 1)
      var sectionKey = ""
      if items[index] == 0, !sectionKeys.isEmpty {
        sectionKey = sectionKeys[min(ofSections, sectionKeys.count - 1)]
        ofSections += 1
      }
      let left = Double(message.originX) + Double(xs[index])
      let top = Double(message.originY) + Double(ys[index])
      elements.append(
        MirroredElement(
          slot: UInt32(truncatingIfNeeded: slots[index]),
          key: ElementKey(category: category, kind: kind, indexPath: path),
          attributes: LayoutAttributes(
            frame: Rect(
              x: left / units,
              y: top / units,
              width: Double(widths[index]) / units,
              height: Double(heights[index]) / units
            ),
            alpha: alphas[index] >= 65535 ? 1 : Double(alphas[index]) / 65535,
            zIndex: Int(zIndices[index]),
            isHidden: hidden[index]
          ),
          itemKey: keys[index],
          pin: nil,
          outline: OutlineMark(
            level: Int(clamping: levels[index]),
            state: Int32(clamping: states[index])
          ),
          scrollsAcross: across[index],
          sectionKey: sectionKey,
          itemData: data[index]
        )
      )
    }
    return elements
  }

  /// The keys of sections, of which there is one for each element without an item, or one for all.
  private mutating func sectionKeys(_ keys: [String], _ items: [Int64]) -> [String] {
    guard keys.count > 1 else { return keys }
    let count = items.count { $0 == 0 }
    if keys.count != count {
      note("section_keys has \(keys.count) values for \(count) elements without an item")
    }
    return keys
  }

  /// The kind name at an index; nil = there is none.
  private func name(_ index: Int64, in names: [String]) -> String? {
    if index >= 0, index < names.count { return names[Int(index)] }
    // Before the server has sent any name, kind 0 is the unnamed kind of cells.
    return index == 0 && names.isEmpty ? "" : nil
  }

  /// Decodes the slots that a frame empties, which `PartCount` has counted.
  mutating func slots(_ runs: [Int32]) -> [UInt32] {
    var count = 0
    for index in stride(from: 1, to: runs.count, by: 2) { count += Int(max(0, runs[index])) }
    return self.runs(runs, "removed_slot_runs", count: count).map { UInt32(clamping: $0) }
  }

  /// Decodes the index shifts, which come in groups of four numbers: difference of the first slot
  /// from the last one before, number of consecutive slots, section shift, item shift. `PartCount`
  /// has counted the slots.
  mutating func shifts(_ runs: [Int32]) -> [IndexShift] {
    guard runs.count.isMultiple(of: 4) else {
      note("index_shift_runs has \(runs.count) numbers; a multiple of four is needed")
      return []
    }
    var shifts: [IndexShift] = []
    var last: Int64 = 0
    for start in stride(from: 0, to: runs.count, by: 4) {
      // Sums of 32-bit numbers; `last` stays below 2³² by the check below.
      let first = last + Int64(runs[start])
      let count = Int64(runs[start + 1])
      guard count > 0, first >= 0, first + count <= Int64(UInt32.max) else {
        note(
          "index_shift_runs has \(count) slots from \(first) on; 1 or more from 0 on are allowed"
        )
        return []
      }
      for slot in first ..< first + count {
        shifts.append(
          IndexShift(
            slot: UInt32(truncatingIfNeeded: slot),
            section: Int(runs[start + 2]),
            item: Int(runs[start + 3])
          )
        )
      }
      last = first + count - 1
    }
    return shifts
  }
}

/// A change of the index path of a live element.
struct IndexShift {
  var slot: UInt32
  /// What is added to the section; fits 32 bits.
  var section: Int
  /// What is added to the item; fits 32 bits.
  var item: Int
}

// MARK: - Columns

extension PackedReader {
  private mutating func note(_ text: String) { if fault == nil { fault = text } }

  /// Decodes a column of runs: pairs of a difference and how often it is repeated.
  ///
  /// - Parameter count: the number of values that the column must have, which `PartCount` has
  ///   limited.
  private mutating func runs(_ runs: [Int32], _ name: String, count: Int) -> [Int64] {
    if runs.isEmpty { return Array(repeating: 0, count: count) }
    guard runs.count.isMultiple(of: 2) else {
      note("\(name) has \(runs.count) numbers; an even number is needed")
      return []
    }
    var values: [Int64] = []
    values.reserveCapacity(count)
    var value: Int64 = 0
    for start in stride(from: 0, to: runs.count, by: 2) {
      let length = Int(runs[start + 1])
      guard length > 0, values.count + length <= count else {
        note("\(name) has a run of \(length) after \(values.count) values; \(count) are needed")
        return []
      }
      for _ in 0 ..< length {
        // No overflow: fewer than 2³¹ differences of 32 bits.
        value += Int64(runs[start])
        values.append(value)
      }
    }
    if values.count != count { note("\(name) has \(values.count) values; \(count) are needed") }
    return values.count == count ? values : []
  }

  /// Decodes a column of differences: empty for zeros, one value for all, or one for each element.
  ///
  /// - Parameter count: the number of elements, which `PartCount` has limited.
  private mutating func differences(
    _ column: [Int32],
    _ name: String,
    count: Int
  ) -> [Int64] {
    if column.isEmpty { return Array(repeating: 0, count: count) }
    if column.count == 1 { return Array(repeating: Int64(column[0]), count: count) }
    guard column.count == count else {
      note("\(name) has \(column.count) values; none, 1 or \(count) are allowed")
      return []
    }
    // No overflow: fewer than 2³¹ differences of 32 bits.
    var value: Int64 = 0
    return column.map { difference in
      value += Int64(difference)
      return value
    }
  }

  /// Decodes a column of plain values: empty for the default, one value for all, or one for each
  /// element.
  private mutating func plain<Value>(
    _ column: [Value],
    _ name: String,
    count: Int,
    default: Value
  ) -> [Value] {
    if column.count == count { return column }
    if column.count <= 1 { return Array(repeating: column.first ?? `default`, count: count) }
    note("\(name) has \(column.count) values; none, 1 or \(count) are allowed")
    return []
  }
}
