// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Grid lanes as the rule reads: every item looks at every lane where it may begin.
struct NaiveGridLanes {
  private(set) var frames: [CollectionModel.IndexPath: Rect] = [:]
  private let layout: GridLanesLayout
  private let context: LayoutContext

  init(_ layout: GridLanesLayout, _ context: LayoutContext) {
    self.layout = layout
    self.context = context
    let axis = layout.scrollAxis
    var spans: [CollectionModel.IndexPath: AxisRect] = [:]
    var start = 0.0
    for index in 0 ..< context.contents.sectionCount {
      let section = context.contents.section(at: index)
      let inset = section.metrics.inset ?? layout.sectionInset
      start += layout.headerHeight + axis.mainStart(inset)
      let (items, length) = place(section)
      for (item, span) in items.enumerated() {
        var span = span
        span.main += start
        span.cross += axis.crossStart(inset)
        spans[IndexPath(section: index, item: item)] = span
      }
      start += length + axis.mainEnd(inset) + layout.footerHeight
    }
    let width = axis == .vertical ? context.container.contentSize.width : max(0, start)
    for (path, span) in spans {
      let rect = axis.rect(span)
      frames[path] = context.container.isRightToLeft ? rect.mirrored(inWidth: width) : rect
    }
  }

  /// The items of a section in their body, and how long that is.
  private func place(_ section: SectionContents) -> (items: [AxisRect], length: Double) {
    let axis = layout.scrollAxis
    let inset = section.metrics.inset ?? layout.sectionInset
    let spacing = section.metrics.interitemSpacing ?? layout.laneSpacing
    let itemSpacing = section.metrics.lineSpacing ?? layout.itemSpacing
    let extent = axis.cross(context.container.contentSize)
    let room = max(0, extent - axis.crossStart(inset) - axis.crossEnd(inset))
    let sizes = Self.sizes(layout.lanes, room: room, spacing: spacing)
    var ends = sizes.map { _ in 0.0 }
    // Dense packing: what is free in each lane before its end.
    var gaps = sizes.map { _ in [Gap]() }
    let isDense = layout.isDense && sizes.count <= 64
    // Where the next item may begin first, among lanes in the order of filling.
    var next = 0
    var items: [AxisRect] = []
    for index in 0 ..< section.items.count {
      let values = section.items.item(at: index)
      let kind = context.contents.cellKindNames[values.cellKind]
      let placement = layout.placements.first { $0.cellKind == kind }
      let span = min(placement?.span ?? 1, sizes.count)
      // A place in the order of filling is mirrored if lanes are filled from the trailing edge on.
      let starts = Array(0 ... sizes.count - span)
      let order = layout.trackReverse ? Array(starts.reversed()) : starts
      func end(_ lane: Int) -> Double { ends[lane ..< lane + span].max() ?? 0 }
      let before = next
      var lane = (placement?.lane).map { min($0 - 1, sizes.count - span) }
      if lane == nil {
        let least = order.map(end).min() ?? 0
        let possible = order.indices.filter { end(order[$0]) <= least + layout.flowTolerance }
        let place = possible.first { $0 >= next } ?? possible[0]
        next = place + span
        lane = order[place]
      }
      let first = lane ?? 0
      func start(_ lane: Int) -> Double { sizes[..<lane].reduce(0) { $0 + ($1 + spacing) } }
      let last = first + span - 1
      let cross = start(first)
      // The distance of the edges of one lane is its width, but for rounding, which may decide
      // between lanes.
      let width = span == 1 ? sizes[first] : start(last) - cross + sizes[last]
      let main = axis == .vertical ? values.height : values.width
      let other = axis == .vertical ? values.width : values.height
      var length = main ?? width
      if let main, let other, other > 0 { length = main * width / other }
      guard isDense else {
        items.append(
          AxisRect(main: end(first), cross: cross, mainLength: length, crossLength: width)
        )
        let bottom = end(first) + length + itemSpacing
        for lane in first ..< first + span { ends[lane] = bottom }
        continue
      }
      for lane in gaps.indices { gaps[lane].removeAll { $0.item < index - 512 } }
      let room = length + itemSpacing
      func free(_ lane: Int) -> [Gap] { gaps[lane] + [Gap(ends[lane], .infinity, index)] }
      // Room begins where that of some lane does.
      func place(_ lane: Int) -> Double {
        let lanes = lane ..< lane + span
        let places = lanes.flatMap { free($0).map(\.start) }.sorted()
        return places.first { place in
          lanes.allSatisfy { lane in
            free(lane).contains { $0.start <= place && place + room <= $0.end + 1e-6 }
          }
        } ?? .infinity
      }
      let alike = (placement?.lane == nil ? order : [first]).filter { lane in
        let other = start(lane + span - 1) - start(lane) + sizes[lane + span - 1]
        return abs((span == 1 ? sizes[lane] : other) - width) <= 1e-6
      }
      let most = (alike.map(place).min() ?? 0) + layout.flowTolerance + 1e-6
      let found = alike.first { place($0) <= most } ?? first
      var best = (lane: first, main: end(first))
      if place(found) < end(found) - 1e-6 {
        best = (found, place(found))
        next = before
      }
      for lane in best.lane ..< best.lane + span {
        let end = best.main + room
        if best.main + 1e-6 >= ends[lane] {
          gaps[lane].append(Gap(ends[lane], best.main, index))
          ends[lane] = max(end, ends[lane])
        } else if let hit = gaps[lane].firstIndex(where: {
          $0.start <= best.main + 1e-6 && end <= $0.end + 1e-6
        }) {
          let gap = gaps[lane].remove(at: hit)
          gaps[lane] += [
            Gap(gap.start, best.main, gap.item), Gap(end, gap.end, gap.item),
          ]
        }
        gaps[lane].removeAll { $0.end - $0.start <= 1e-6 }
        gaps[lane].sort { $0.start < $1.start }
        while gaps[lane].count > 8 { gaps[lane].removeFirst() }
      }
      items.append(
        AxisRect(main: best.main, cross: start(best.lane), mainLength: length, crossLength: width)
      )
    }
    guard !items.isEmpty else { return ([], 0) }
    let length = max(0, (ends.max() ?? 0) - itemSpacing)
    if layout.fillReverse {
      for index in items.indices { items[index].main = length - items[index].mainEnd }
    }
    return (items, length)
  }

  /// Room in a lane, and the item that left it.
  private struct Gap {
    let start: Double
    let end: Double
    let item: Int

    init(_ start: Double, _ end: Double, _ item: Int) {
      (self.start, self.end, self.item) = (start, end, item)
    }
  }

  private struct Lane {
    var base: Double
    var limit: Double?
    var fraction = 0.0
    var isFrozen = false
  }

  /// The sizes of lanes, found as the specification of CSS says: round after round.
  static func sizes(_ lanes: [GridLane], room: Double, spacing: Double) -> [Double] {
    func single(_ lane: GridLane) -> Lane {
      switch lane.size {
      case .length(let length):
        let base = lane.minimum ?? length
        return Lane(base: base, limit: max(base, length))
      case .fraction(let fraction): return Lane(base: lane.minimum ?? 0, fraction: fraction)
      }
    }
    func expanded(_ filling: Int) -> [Lane] {
      lanes.flatMap { lane -> [Lane] in
        switch lane.repetition {
        case .count(let count): Array(repeating: single(lane), count: count)
        case .autoFill: Array(repeating: single(lane), count: filling)
        }
      }
    }
    var filling = 1
    if lanes.contains(where: { $0.repetition == .autoFill }) {
      func fits(_ count: Int) -> Bool {
        let all = expanded(count)
        return all.reduce(-spacing) { $0 + max($1.limit ?? $1.base, 1) + spacing } <= room
      }
      while fits(filling + 1) { filling += 1 }
    }
    var all = expanded(filling)
    let total = room - spacing * Double(all.count - 1)
    var free = total - all.reduce(0) { $0 + $1.base }
    while free > 1e-9 {
      let growing = all.indices.filter { all[$0].base < (all[$0].limit ?? 0) - 1e-12 }
      guard !growing.isEmpty else { break }
      let part = min(
        free / Double(growing.count),
        growing.map { (all[$0].limit ?? 0) - all[$0].base }.min() ?? 0
      )
      for index in growing { all[index].base += part }
      free -= part * Double(growing.count)
    }
    while true {
      let sharing = all.indices.filter { all[$0].fraction > 0 && !all[$0].isFrozen }
      let left = all.indices.filter { !sharing.contains($0) }.reduce(total) { $0 - all[$1].base }
      let unit = left / max(1, sharing.reduce(0) { $0 + all[$1].fraction })
      let small = sharing.filter { all[$0].base > unit * all[$0].fraction }
      if small.isEmpty {
        for index in sharing { all[index].base = unit * all[index].fraction }
        // So that which lane is next is not a matter of the last bits.
        return all.map { ($0.base * 0x1p30).rounded() / 0x1p30 }
      }
      for index in small { all[index].isFrozen = true }
    }
  }
}
