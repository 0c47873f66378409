// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

@testable import LayoutSession

/// What a server holds of a session, kept naively, and random steps of it as frames.
struct FrameModel {
  struct Live {
    var element: LayoutElement
    var extra: ElementExtra?
    /// Of its item, or of its section if it has none.
    var itemKey: String
    var itemData: String
  }

  var random: SplitMix64
  var live: [UInt32: Live] = [:]
  var sequence: UInt64 = 0
  var kindNames = ["", "header"]
  let unitsPerPoint: Int
  /// Far from the origin, where 32-bit numbers no longer reach.
  var origin = Point.zero

  init(seed: UInt64, unitsPerPoint: Int = 64) {
    random = SplitMix64(seed: seed)
    self.unitsPerPoint = unitsPerPoint
  }

  var checksum: UInt32 {
    live.values.reduce(0) { sum, live in
      sum
        &+ StateChecksum.hash(
          of: live.element,
          kindHash: StateChecksum.hash(ofKind: kindNames[Int(live.element.kind)]),
          unitsPerPoint: unitsPerPoint
        )
    }
  }

  mutating func element() -> Live {
    if random.int(0 ... 20) == 0 { kindNames.append("kind\(kindNames.count)") }
    let hasExtra = random.int(0 ... 4) == 0
    var element = LayoutElement(
      category: random.pick(ElementCategory.self),
      kind: UInt16(random.int(0 ... kindNames.count - 1)),
      indexPath: random.path(),
      frame: random.rect().offset(by: origin),
      zIndex: Int32(random.int(-3 ... 9)),
      alpha: random.bool() ? 1 : random.number(0 ... 1),
      isHidden: random.int(0 ... 5) == 0
    )
    element.scrollsAcross = random.int(0 ... 9) == 0
    return Live(
      element: element,
      extra: hasExtra
        ? ElementExtra(
          transform: random.transform(),
          custom: random.maybe { $0.customFields() },
          pin: random.maybe {
            PinRange(
              minOffset: $0.number(),
              maxOffset: $0.number(),
              inset: $0.number(),
              axis: $0.axis()
            )
          }
        ) : nil,
      itemKey: random.bool() ? random.word() : "",
      itemData: random.bool() ? random.word() : ""
    )
  }

  /// Changes the state and says how.
  mutating func step(isKeyframe: Bool, count: Int = 12) -> SessionFrame {
    sequence += 1
    var frame = SessionFrame(
      sequence: sequence,
      baseSequence: isKeyframe ? 0 : sequence - 1,
      dataVersion: sequence * 3,
      layoutVersion: 7,
      appliedEvent: sequence + 1,
      mergedEvents: 2,
      contentSize: random.maybe { $0.size() },
      coverage: random.rect(),
      offsetAdjustment: random.bool() ? .zero : random.point(),
      scrollSensitivity: random.bool() ? .coverage : .everyScroll,
      upserts: [],
      keys: [],
      removedSlots: [],
      extras: [],
      kindNames: [],
      liveCount: 0,
      stateChecksum: nil
    )
    frame.scrollEffects = random.maybe { random in
      ScrollEffects(random.some { $0.scrollEffect() }, axis: random.axis())
    }
    frame.sectionScrolls = random.maybe { random in random.some { $0.sectionScroll() } }
    if isKeyframe { live = [:] }
    for slot in live.keys.sorted() {
      switch random.int(0 ... 9) {
      case 0 ... 2:
        live[slot] = nil
        frame.removedSlots.append(slot)
      case 3: upsert(slot, element(), in: &frame)
      case 4 ... 6: shift(slot, in: &frame)
      default: break
      }
    }
    for _ in 0 ..< random.int(0 ... count) {
      let slot = UInt32(random.int(0 ... 40 * count))
      if live[slot] == nil { upsert(slot, element(), in: &frame) }
    }
    frame.kindNames = kindNames
    frame.liveCount = live.count
    frame.stateChecksum = checksum
    return frame
  }

  private mutating func upsert(_ slot: UInt32, _ new: Live, in frame: inout SessionFrame) {
    live[slot] = new
    append(slot, new, to: &frame)
  }

  private mutating func append(
    _ slot: UInt32,
    _ value: Live,
    shiftedFrom path: IndexPath? = nil,
    to frame: inout SessionFrame
  ) {
    var element = value.element
    if let extra = value.extra {
      element.extra = Int32(frame.extras.count)
      frame.extras.append(extra)
    }
    frame.upserts.append(
      FrameElement(
        element: element,
        slot: slot,
        isShiftOnly: path != nil,
        previousPath: path ?? element.indexPath
      )
    )
    frame.keys.append(value.itemKey)
    frame.itemData.append(value.itemData)
  }

  private mutating func shift(_ slot: UInt32, in frame: inout SessionFrame) {
    guard var moved = live[slot] else { return }
    let old = moved.element.indexPath
    let section = old.section + random.int(0 ... 1)
    moved.element.indexPath =
      old.item.map { IndexPath(section: section, item: $0 + random.int(0 ... 2)) }
      ?? IndexPath(section: section)
    live[slot] = moved
    append(slot, moved, shiftedFrom: old, to: &frame)
  }
}

extension SplitMix64 {
  fileprivate mutating func sectionScroll() -> SectionScrollState {
    let (low, high) = (number(-9 ... 0), number(0 ... 99))
    let isOwn = bool()
    return SectionScrollState(
      section: int(0 ... 99),
      scroll: SectionScroll(
        frame: rect(),
        contentLength: number(0 ... 999),
        minimumOffset: low,
        maximumOffset: high,
        offset: number(low ... high),
        direction: point(),
        isRigid: isOwn
      ),
      completeOffsets: isOwn ? low ... high : nil,
      isReset: isOwn && bool()
    )
  }
}
