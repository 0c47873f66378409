// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

@testable import LayoutProtocol

extension ReferenceEncoder {
  /// The elements of a frame as columns of integers. At least one body.
  mutating func packed(of frame: SessionFrame) -> [EncodedBody] {
    if frame.isKeyframe { toldKinds = 0 }
    var bodies: [EncodedBody] = []
    var packer = ElementPacker(unitsPerPoint: unitsPerPoint)
    var message = Wire.PackedElements()
    message.removedSlotRuns = RunColumn.runs(
      frame.removedSlots.sorted().map { Int32(clamping: $0) }
    )
    var shifts = IndexShifts()
    var byteCount = frame.removedSlots.count * 4 + headByteCount(of: frame)
    let kindCount = frame.upserts.map { Int($0.element.kind) + 1 }.max() ?? 0
    let used = min(kindCount, frame.kindNames.count)
    if toldKinds < used {
      message.kindNames = Array(frame.kindNames[toldKinds ..< used])
      byteCount += message.kindNames.reduce(0) { $0 + 3 + $1.utf8.count }
      toldKinds = used
    }
    for (index, element) in frame.upserts.enumerated() {
      // A shift says nothing about attributes, so it never needs to be an exception.
      if element.isShiftOnly, shifts.append(element) { continue }
      let texts = frame.texts(at: index)
      let fits =
        packer.fits(element, extra: frame.extra(of: element))
        && (scrollsSections || !element.element.scrollsAcross)
      let size = fits ? 49 + texts.byteCount : frame.byteCount(of: element, texts)
      if byteCount > 0, byteCount + size > partBytes {
        packer.write(to: &message)
        bodies.append(EncodedBody(body: .packed(message), byteCount: byteCount))
        message = Wire.PackedElements()
        packer.removeAll()
        byteCount = 0
      }
      byteCount += size
      if fits {
        packer.append(element, texts)
      } else {
        message.exceptions.append(Wire.LayoutElement(element, of: frame, texts))
      }
    }
    packer.write(to: &message)
    // Shifts are applied before the upserts of the same part; they concern other slots, so the last
    // part is as good as any.
    message.indexShiftRuns = shifts.runs
    bodies.append(EncodedBody(body: .packed(message), byteCount: byteCount + shifts.runs.count * 3))
    return bodies
  }
}

/// Numbers stay within ±2³⁰ in columns, so that differences of two fit 32 bits.
private let maxPacked: Int64 = 1 << 30

/// Gathers elements column by column.
private struct ElementPacker {
  let units: Double
  /// Added to an edge before it is cut off: see `StateChecksum`.
  private var origin: (x: Int64, y: Int64)?
  private var slots: [Int32] = []
  private var categories: [Int32] = []
  private var kinds: [Int32] = []
  private var sections: [Int32] = []
  private var items: [Int32] = []
  private var xs: [Int32] = []
  private var ys: [Int32] = []
  private var widths: [Int32] = []
  private var heights: [Int32] = []
  private var zIndices: [Int32] = []
  private var alphas: [UInt32] = []
  private var hidden: [Bool] = []
  private var itemKeys: [String] = []
  private var itemData: [String] = []
  private var scrollsAcross: [Bool] = []

  init(unitsPerPoint: Int) { units = Double(unitsPerPoint) }

  /// Whether an element can stand in columns: no rarer attributes, and all numbers small enough.
  ///
  /// The first element appended fixes the origin.
  func fits(_ element: FrameElement, extra: ElementExtra?) -> Bool {
    let value = element.element
    guard extra == nil || extra == ElementExtra() else { return false }
    guard Int64(element.slot) < maxPacked, Int64(value.indexPath.section) < maxPacked,
      Int64(value.indexPath.item ?? 0) < maxPacked - 1,
      Int64(value.zIndex).magnitude < UInt64(maxPacked)
    else { return false }
    let edges = Edges(value.frame, units)
    guard (0 ... maxPacked).contains(edges.width), (0 ... maxPacked).contains(edges.height),
      edges.isExact
    else { return false }
    let origin = origin ?? (edges.left, edges.top)
    guard (edges.left - origin.x).magnitude < UInt64(maxPacked),
      (edges.top - origin.y).magnitude < UInt64(maxPacked)
    else { return false }
    return true
  }

  /// - Precondition: `fits` said so.
  mutating func append(_ element: FrameElement, _ texts: ElementTexts) {
    let value = element.element
    let edges = Edges(value.frame, units)
    let origin = origin ?? (edges.left, edges.top)
    self.origin = origin
    slots.append(Int32(truncatingIfNeeded: element.slot))
    categories.append(Int32(value.category.rawValue))
    kinds.append(Int32(value.kind))
    sections.append(Int32(truncatingIfNeeded: value.indexPath.section))
    items.append(Int32(truncatingIfNeeded: value.indexPath.item.map { $0 + 1 } ?? 0))
    xs.append(Int32(truncatingIfNeeded: edges.left - origin.x))
    ys.append(Int32(truncatingIfNeeded: edges.top - origin.y))
    widths.append(Int32(truncatingIfNeeded: edges.width))
    heights.append(Int32(truncatingIfNeeded: edges.height))
    zIndices.append(value.zIndex)
    alphas.append(UInt32((min(max(value.alpha, 0), 1) * 65535).rounded()))
    hidden.append(value.isHidden)
    itemKeys.append(texts.key)
    itemData.append(texts.data)
    scrollsAcross.append(value.scrollsAcross)
  }

  /// The elements of a grid of at least four rows are told down one column and up the next.
  private var order: [Int] {
    let all = Array(slots.indices)
    let width = Set(xs).count
    guard width > 1, all.count >= 4 * width, Set(sections).count == 1 else { return all }
    let row = Array(xs.prefix(width))
    guard row == row.sorted() || row == row.sorted(by: >) else { return all }
    let isGrid = all.allSatisfy { place in
      let start = place / width * width
      return xs[place] == xs[place % width] && ys[place] == ys[start]
        && (start == 0 || ys[start] != ys[start - 1]) && items[place] == items[0] + Int32(place)
    }
    guard isGrid else { return all }
    return all.sorted { one, other in
      let column = one % width
      guard column == other % width else { return column < other % width }
      return column % 2 == 0 ? one < other : one > other
    }
  }

  mutating func write(to message: inout Wire.PackedElements) {
    let order = order
    func ordered<Value>(_ values: [Value]) -> [Value] { order.map { values[$0] } }
    message.upsertCount = UInt32(clamping: slots.count)
    message.slotRuns = RunColumn.encoded(ordered(slots))
    message.categories = DifferenceColumn.encoded(ordered(categories))
    message.kinds = DifferenceColumn.encoded(ordered(kinds))
    message.sections = DifferenceColumn.encoded(ordered(sections))
    message.itemRuns = RunColumn.encoded(ordered(items))
    if let origin, !slots.isEmpty {
      message.originX = origin.x
      message.originY = origin.y
    }
    message.xs = DifferenceColumn.encoded(ordered(xs))
    message.ys = DifferenceColumn.encoded(ordered(ys))
    message.widths = DifferenceColumn.encoded(ordered(widths))
    message.heights = DifferenceColumn.encoded(ordered(heights))
    message.zIndices = DifferenceColumn.encoded(ordered(zIndices))
    message.alphas = ElementPacker.column(ordered(alphas), default: 65535)
    message.hidden = ElementPacker.column(ordered(hidden), default: false)
    let (paths, keys) = (ordered(items), ordered(itemKeys))
    message.itemKeys = ElementPacker.column(
      zip(paths, keys).map { $0 == 0 ? "" : $1 },
      default: ""
    )
    message.sectionKeys = ElementPacker.column(
      zip(paths, keys).filter { $0.0 == 0 }.map(\.1),
      default: ""
    )
    message.itemData = ElementPacker.column(ordered(itemData), default: "")
    message.scrollsAcross = ElementPacker.column(ordered(scrollsAcross), default: false)
  }

  mutating func removeAll() { self = ElementPacker(unitsPerPoint: Int(units)) }

  /// A column of values that have no differences.
  private static func column<Value: Equatable>(_ values: [Value], default: Value) -> [Value] {
    guard let first = values.first else { return [] }
    guard values.allSatisfy({ $0 == first }) else { return values }
    return first == `default` ? [] : [first]
  }
}

/// A frame's edges in units: edges are rounded, lengths follow, so that neighbours stay seamless.
private struct Edges {
  let left: Int64
  let top: Int64
  let width: Int64
  let height: Int64

  init(_ frame: Rect, _ units: Double) {
    left = StateChecksum.quantized(frame.minX, units)
    top = StateChecksum.quantized(frame.minY, units)
    width = StateChecksum.quantized(frame.maxX, units) - left
    height = StateChecksum.quantized(frame.maxY, units) - top
  }

  /// Whether the edges survive the way through 64-bit floats, whatever is added on the way.
  var isExact: Bool { max(left.magnitude, top.magnitude) < 1 << 50 }
}

/// Columns of differences: nothing for all zeros, one value for all equal ones, else differences.
enum DifferenceColumn {
  static func encoded(_ values: [Int32]) -> [Int32] {
    guard let first = values.first else { return [] }
    if values.allSatisfy({ $0 == first }) { return first == 0 ? [] : [first] }
    var previous: Int32 = 0
    return values.map { value in
      defer { previous = value }
      return value &- previous
    }
  }
}

/// Columns of runs: pairs of a difference and how often it comes in a row.
enum RunColumn {
  /// A column whose length is known elsewhere: nothing for all zeros.
  static func encoded(_ values: [Int32]) -> [Int32] {
    let runs = runs(values)
    return runs.count == 2 && runs[0] == 0 ? [] : runs
  }

  /// A column whose runs alone say how long it is.
  static func runs(_ values: [Int32]) -> [Int32] {
    var runs: [Int32] = []
    var previous: Int32 = 0
    for value in values {
      let difference = value &- previous
      previous = value
      if runs.count >= 2, runs[runs.count - 2] == difference {
        runs[runs.count - 1] += 1
      } else {
        runs.append(difference)
        runs.append(1)
      }
    }
    return runs
  }
}

/// Gathers elements of which nothing changed but the index path.
private struct IndexShifts {
  private struct Shift {
    var slot: Int32
    var section: Int32
    var item: Int32
  }

  private var shifts: [Shift] = []

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
      Shift(
        slot: Int32(truncatingIfNeeded: element.slot),
        section: Int32(truncatingIfNeeded: section),
        item: Int32(truncatingIfNeeded: item)
      )
    )
    return true
  }

  /// Groups of four: the first slot's difference from the last one of the group before, how many
  /// consecutive slots, their section shift and their item shift.
  var runs: [Int32] {
    var runs: [Int32] = []
    var last: Int32 = 0
    for shift in shifts.sorted(by: { $0.slot < $1.slot }) {
      let end = runs.count
      if end > 0, shift.slot == last + 1, runs[end - 2] == shift.section,
        runs[end - 1] == shift.item
      {
        runs[end - 3] += 1
      } else {
        runs.append(contentsOf: [shift.slot - last, 1, shift.section, shift.item])
      }
      last = shift.slot
    }
    return runs
  }
}
