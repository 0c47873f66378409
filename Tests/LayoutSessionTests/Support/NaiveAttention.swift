// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// Candidates and sightings from their rules, found by looking at everything.
enum NaiveAttention {
  /// The index paths of all candidates, in order.
  static func candidates(
    _ options: PrefetchOptions,
    in prepared: any PreparedLayout,
    viewport: Viewport,
    motion: Point
  ) -> [IndexPath] {
    var buffer = ElementBuffer()
    let everything = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)
    prepared.appendElements(in: everything, viewport: viewport, to: &buffer)
    var ahead = options.distanceAhead ?? 1
    var behind = options.distanceBehind ?? 0.5
    if prepared.scrollAxis == nil {
      ahead = min(ahead, 1.5)
      behind = min(behind, 1.5)
    }
    let visible = viewport.rect
    var found: [(isBehind: Bool, distance: Double, path: IndexPath)] = []
    for element in buffer.elements where element.category == .cell && !element.isHidden {
      let box = buffer.attributes(of: element).boundingBox
      if box.meets(visible) { continue }
      var isBehind = false
      var isNear = true
      var distance = 0.0
      for (start, end, low, high, motion) in [
        (box.minX, box.maxX, visible.minX, visible.maxX, motion.x),
        (box.minY, box.maxY, visible.minY, visible.maxY, motion.y),
      ] {
        if start >= high {
          let part = (start - high) / (high - low)
          distance = max(distance, part)
          isBehind = isBehind || motion < 0
          isNear = isNear && part < (motion < 0 ? behind : ahead)
        } else if end <= low {
          let part = (low - end) / (high - low)
          distance = max(distance, part)
          isBehind = isBehind || motion > 0
          isNear = isNear && part < (motion > 0 ? behind : ahead)
        }
      }
      if isNear { found.append((isBehind, distance, element.indexPath)) }
    }
    found.sort { a, b in
      if a.isBehind != b.isBehind { return b.isBehind }
      return a.distance == b.distance ? a.path < b.path : a.distance < b.distance
    }
    return found.prefix(options.maxItems).map(\.path)
  }

  /// How much of an element is in sight, by the rule's measure; nil = nothing.
  static func part(
    of box: Rect,
    in window: Rect,
    _ measure: VisibilityRule.Measure,
    axis: ScrollAxis?
  ) -> Double? {
    let width = min(box.maxX, window.maxX) - max(box.minX, window.minX)
    let height = min(box.maxY, window.maxY) - max(box.minY, window.minY)
    guard width > 0, height > 0 else { return nil }
    if measure == .area { return width * height / (box.width * box.height) }
    switch axis {
    case .vertical: return height / box.height
    case .horizontal: return width / box.width
    case nil: return min(width / box.width, height / box.height)
    }
  }
}

/// A client that keeps account of the items that it was told to get ready.
struct PrefetchClient {
  /// The item keys of the candidates by their numbers.
  private(set) var candidates: [UInt64: String] = [:]
  private(set) var ended: Set<UInt64> = []
  private(set) var highest: UInt64 = 0
  /// The item keys that the last change asked for, in order.
  private(set) var asked: [String] = []
  private(set) var changes = 0

  /// Takes a change, and checks all that does not depend on geometry.
  mutating func apply(_ change: PrefetchChange, sourceLocation: SourceLocation = #_sourceLocation) {
    changes += 1
    asked = []
    if change.isReset {
      #expect(change.shown.isEmpty && change.cancelled.isEmpty, sourceLocation: sourceLocation)
      let named = Set(change.items.map(\.number))
      for number in candidates.keys where !named.contains(number) { end(number, sourceLocation) }
    }
    for number in change.shown + change.cancelled { end(number, sourceLocation) }
    for item in change.items {
      if change.isReset, let known = candidates[item.number] {
        #expect(known == item.itemKey, sourceLocation: sourceLocation)
      } else {
        #expect(item.number > highest, sourceLocation: sourceLocation)
        highest = max(highest, item.number)
        candidates[item.number] = item.itemKey
      }
      asked.append(item.itemKey)
    }
    #expect(
      Set(candidates.values).count == candidates.count,
      "an item is asked for twice",
      sourceLocation: sourceLocation
    )
  }

  private mutating func end(_ number: UInt64, _ sourceLocation: SourceLocation) {
    #expect(candidates.removeValue(forKey: number) != nil, sourceLocation: sourceLocation)
    #expect(ended.insert(number).inserted, sourceLocation: sourceLocation)
  }
}

extension Scene {
  /// Takes the change of candidates that is due after a step.
  mutating func prefetch() -> PrefetchChange? { session.nextPrefetch(at: now) }

  /// Takes the change of sightings that is due after a step.
  mutating func see() -> VisibilityChange? { session.nextVisibility(at: now) }

  /// A resume by a client that has all frames.
  mutating func resume(sourceLocation: SourceLocation = #_sourceLocation) {
    do {
      _ = try session.resume(
        SessionResume(
          lastFrame: client.lastApplied,
          liveCount: client.slots.count,
          capabilities: session.capabilities
        ),
        at: now
      )
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    settle(sourceLocation: sourceLocation)
  }
}

/// Edits at random places, of items and sections whose keys never come back.
struct RandomEdits {
  private var nextKey = 0

  mutating func operation(
    on contents: CollectionContents,
    using random: inout some RandomNumberGenerator
  ) -> UpdateOperation? {
    nextKey += 1
    let block = ItemBlock(count: 2, heights: [], keys: ["n\(nextKey)", "m\(nextKey)"])
    guard contents.sectionCount > 0 else {
      return .insertSections(at: 0, [SectionContents(key: "s\(nextKey)", blocks: [block])])
    }
    let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
    let count = contents.section(at: section).items.count
    switch Int.random(in: 0 ..< 10, using: &random) {
    case 0 ... 2:
      let place = Int.random(in: 0 ... count, using: &random)
      return .insertItems(at: IndexPath(section: section, item: place), items: [block])
    case 3 ... 4 where count > 4:
      let place = Int.random(in: 0 ..< count - 2, using: &random)
      return .delete(place ..< place + 2, section: section)
    case 5 where count > 1:
      return .move(
        Int.random(in: 0 ..< count, using: &random),
        to: Int.random(in: 0 ..< count, using: &random),
        section: section
      )
    case 6 where count > 2: return .reloadItems(section: section, items: 0 ..< 2, blocks: [block])
    case 7 where contents.sectionCount < 6:
      return .insertSections(at: section, [SectionContents(key: "s\(nextKey)", blocks: [block])])
    case 8 where contents.sectionCount > 2: return .deleteSections(section ..< section + 1)
    case 9 where contents.sectionCount > 1:
      return .moveSection(
        from: section,
        to: Int.random(in: 0 ..< contents.sectionCount, using: &random)
      )
    default: return nil
    }
  }
}
