// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import TestSupport
import Testing

@Suite("ElementMirror", .timeLimit(.minutes(2)))
struct ElementMirrorTests {
  private static func cell(_ slot: UInt32, item: UInt32) -> Wire.LayoutElement {
    .with {
      $0.slot = slot
      $0.key.category = .cell
      $0.key.indexPath.item = item
      $0.attributes.frame.height = 44
    }
  }

  /// - Parameter base: the frame that it changes; 0 = it is a keyframe.
  private static func frame(
    _ sequence: UInt64,
    after base: UInt64 = 0,
    _ fill: (inout Wire.LayoutFrame) -> Void = { _ in }
  ) -> Wire.LayoutFrame {
    .with {
      $0.frameSeq = sequence
      $0.baseFrameSeq = base
      fill(&$0)
    }
  }

  private static let keyframe = frame(1) {
    $0.elements.upserts = [cell(0, item: 0), cell(1, item: 1)]
    $0.liveCount = 2
  }

  private func mirror() throws -> ElementMirror {
    var mirror = ElementMirror()
    _ = try mirror.apply(Self.keyframe)
    return mirror
  }

  @Test("names of kinds and keys of items that only look the same are different")
  func alike() throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    var mirror = ElementMirror()
    let sum = names.enumerated().reduce(into: 0 as UInt32) { sum, name in
      let element = LayoutElement(
        category: .cell,
        kind: 0,
        indexPath: IndexPath(section: 0, item: name.offset),
        frame: Rect(x: 0, y: 0, width: 0, height: 44),
        zIndex: 0,
        alpha: 1,
        isHidden: false
      )
      sum &+= StateChecksum.hash(of: element, kindHash: StateChecksum.hash(ofKind: name.element))
    }
    _ = try mirror.apply(
      Self.frame(1) {
        $0.elements.upserts = names.enumerated().map { number, name in
          var cell = Self.cell(UInt32(number), item: UInt32(number))
          (cell.key.kind, cell.itemKey) = (name, name)
          return cell
        }
        $0.liveCount = 2
        $0.stateChecksum = sum
      }
    )
    #expect(names.map { mirror.slot(ofItemKey: $0) } == [0, 1])
    #expect(mirror.slot(of: .cell(0, 0, kind: names[1])) == nil)
    #expect(mirror.slot(of: .cell(0, 1, kind: names[1])) == 1)
  }

  @Test("what left with a refused frame is told with the next one")
  func lost() throws {
    var mirror = try mirror()
    #expect(throws: MirrorFault.self) {
      try mirror.apply(
        Self.frame(2, after: 1) {
          $0.elements.removedSlots = [1]
          $0.liveCount = 9
        }
      )
    }
    let change = try #require(
      try mirror.apply(
        Self.frame(3) {
          $0.elements.upserts = [Self.cell(0, item: 0)]
          $0.liveCount = 1
        }
      )
    )
    #expect(change.removed.map(\.slot) == [1, 0])
    let next = try #require(try mirror.apply(Self.frame(4, after: 3) { $0.liveCount = 1 }))
    #expect(next.removed.isEmpty)
  }

  @Test(
    "a frame that does not fit is refused with the reason",
    arguments: [
      (.wrongBase(found: 9, expected: 1), frame(10, after: 9)),
      (.emptySlot(5), frame(2, after: 1) { $0.elements.removedSlots = [5] }),
      (.emptySlot(5), frame(2, after: 1) { $0.packed.indexShiftRuns = [5, 1, 0, 1] }),
      (.wrongCount(found: 2, expected: 3), frame(2, after: 1) { $0.liveCount = 3 }),
      (.malformed("frame 1 after frame 1"), frame(1) { $0.liveCount = 2 }),
      (
        .malformed(
          "upserts[0].attributes.frame.width: -1.0 found; finite numbers from 0 to 2^40 are "
            + "allowed."
        ),
        frame(2, after: 1) {
          $0.elements.upserts = [
            .with {
              $0.key.category = .cell
              $0.attributes.frame.width = -1
            }
          ]
        }
      ),
    ] as [(MirrorFault, Wire.LayoutFrame)]
  )
  func faults(fault: MirrorFault, frame: Wire.LayoutFrame) throws {
    var mirror = try mirror()
    #expect(throws: fault) { try mirror.apply(frame) }
  }

  @Test("a wrong checksum is noticed, and a keyframe mends everything")
  func checksum() throws {
    var mirror = try mirror()
    let right = mirror.stateChecksum
    let wrong = Self.frame(2, after: 1) {
      $0.liveCount = 2
      $0.stateChecksum = right &+ 1
    }
    #expect(throws: MirrorFault.wrongChecksum(found: right, expected: right &+ 1)) {
      try mirror.apply(wrong)
    }
    var mending = Self.keyframe
    mending.frameSeq = 3
    mending.stateChecksum = right
    let change = try #require(try mirror.apply(mending))
    #expect(change.isKeyframe)
    #expect(change.removed.map(\.slot) == [0, 1])
    #expect(mirror.frameSequence == 3)
  }

  @Test("parts are applied with the last one, and parts of another frame are refused")
  func parts() throws {
    var mirror = try mirror()
    var part = Self.frame(2, after: 1) {
      $0.continued = true
      $0.elements.removedSlots = [0]
    }
    #expect(try mirror.apply(part) == nil)
    #expect(mirror.liveCount == 2)
    part.continued = false
    part.elements = .with { $0.upserts = [Self.cell(0, item: 7)] }
    part.liveCount = 2
    let change = try #require(try mirror.apply(part))
    #expect(change.upserts == [0])
    #expect(change.removed.map(\.slot) == [0])
    #expect(mirror.elements[0]?.key == .cell(0, 7))
    #expect(mirror.slot(of: .cell(0, 7)) == 0)
    part = Self.frame(3, after: 2) { $0.continued = true }
    #expect(try mirror.apply(part) == nil)
    part.frameSeq = 4
    #expect(throws: MirrorFault.malformed("a part of frame 4 inside frame 3")) {
      try mirror.apply(part)
    }
  }

  @Test("after a refused part the rest of its frame changes nothing")
  func refusedParts() throws {
    var mirror = try mirror()
    var part = Self.frame(2, after: 1) {
      $0.continued = true
      $0.packed.indexShiftRuns = [1]
    }
    #expect(throws: MirrorFault.self) { try mirror.apply(part) }
    part.elements.upserts = [Self.cell(2, item: 2)]
    #expect(try mirror.apply(part) == nil)
    part.continued = false
    #expect(try mirror.apply(part) == nil)
    #expect(mirror.liveCount == 2)
    #expect(mirror.frameSequence == 1)
    var keyframe = Self.keyframe
    keyframe.frameSeq = 3
    #expect(try mirror.apply(keyframe)?.frame == 3)
  }

  @Test("a frame of more elements than are allowed is refused at the part that exceeds the limit")
  func tooManyElements() throws {
    var mirror = ElementMirror(limits: MirrorLimits(elements: 3))
    var part = Self.frame(1) {
      $0.continued = true
      $0.packed.kindNames = [""]
      $0.packed.upsertCount = 2
      $0.packed.slotRuns = [0, 1, 1, 1]
    }
    #expect(try mirror.apply(part) == nil)
    part.packed.slotRuns = [2, 1, 1, 1]
    let fault = MirrorFault.tooLarge(
      "upsert_count has 2 elements after 2 of the same frame; 3 in all are allowed"
    )
    #expect(throws: fault) { try mirror.apply(part) }
    #expect(try mirror.apply(part) == nil)
    #expect(mirror.liveCount == 0)
  }

  private static func tooMany(_ name: String, _ count: Int, after before: Int) -> MirrorFault {
    .tooLarge(
      "\(name) has \(count) elements after \(before) of the same frame; 1000 in all are allowed"
    )
  }

  /// A part with columns for so many elements in the slots of runs.
  private static func columns(_ count: UInt32, _ slotRuns: [Int32]) -> Wire.LayoutFrame {
    frame(1) {
      $0.packed.kindNames = [""]
      $0.packed.upsertCount = count
      $0.packed.slotRuns = slotRuns
    }
  }

  private static func shifts(_ runs: [Int32]) -> Wire.LayoutFrame {
    frame(1) { $0.packed.indexShiftRuns = runs }
  }

  private static func removals(_ runs: [Int32]) -> Wire.LayoutFrame {
    frame(1) { $0.packed.removedSlotRuns = runs }
  }

  private static func messages(_ slots: [UInt32]) -> Wire.LayoutFrame {
    frame(1) { $0.elements.upserts = slots.map { cell($0, item: $0) } }
  }

  @Test(
    "what all parts of a frame stand for is bounded before it is made, and each slot is put once",
    arguments: [
      (
        tooMany("upsert_count", 1000, after: 1000),
        Array(repeating: columns(1000, [0, 1000]), count: 64)
      ),
      (
        .malformed("slot 0 is put twice in one frame; once is allowed"), [columns(1000, [0, 1000])]
      ),
      (.malformed("slot 4 is put twice in one frame; once is allowed"), [messages([4, 4])]),
      (
        .malformed("slot 4 is put twice in one frame; once is allowed"),
        [columns(1, [4, 1]), messages([4])]
      ),
      (
        tooMany("upsert_count", 4_294_967_295, after: 0),
        [columns(.max, [])]
      ),
      (
        tooMany("upserts", 1, after: 1000),
        [columns(1000, [0, 1000]), messages([4])]
      ),
      (
        tooMany("index_shift_runs", 1, after: 1000),
        [columns(1000, [0, 1000]), shifts([0, 1, 0, 1])]
      ),
      (
        tooMany("index_shift_runs", 2_147_483_647, after: 0),
        [shifts([0, .max, 0, 1])]
      ),
      (
        .malformed("index_shift_runs has a run of 0; at least 1 is needed"), [shifts([0, 0, 0, 1])]
      ),
      (
        tooMany("removed_slot_runs", 600, after: 600),
        [removals([1, 600]), removals([1, 600])]
      ),
      (.malformed("removed_slot_runs has 1 numbers; a multiple of 2 is needed"), [removals([1])]),
      (
        .malformed("kind_names has a name of 129 bytes; 128 are allowed"),
        [frame(1) { $0.packed.kindNames = [String(repeating: "k", count: 129)] }]
      ),
      (
        .malformed("kind_names has 65537 names after 0; 65536 in all are allowed"),
        [frame(1) { $0.packed.kindNames = Array(repeating: "", count: 65537) }]
      ),
      (
        .tooLarge("frame 1 has more than 16384 parts"),
        Array(repeating: messages([]), count: 16385)
      ),
    ] as [(MirrorFault, [Wire.LayoutFrame])]
  )
  func bounds(fault: MirrorFault, parts: [Wire.LayoutFrame]) throws {
    var mirror = ElementMirror(limits: MirrorLimits(elements: 1000))
    #expect(throws: fault) {
      for (index, part) in parts.enumerated() {
        var part = part
        part.continued = index + 1 < parts.count
        _ = try mirror.apply(part)
      }
    }
    #expect(mirror.liveCount <= 1)
    var keyframe = Self.keyframe
    keyframe.frameSeq = 2
    #expect(try mirror.apply(keyframe)?.frame == 2)
  }

  @Test("a frame may put, shift and empty as many elements as are allowed, in one part")
  func mostElements() throws {
    let count: Int32 = 300_000
    var mirror = ElementMirror(limits: MirrorLimits(elements: Int(count)))
    var keyframe = Self.columns(UInt32(count), [0, 1, 1, count - 1])
    keyframe.liveCount = UInt32(count)
    _ = try mirror.apply(keyframe)
    var shift = Self.shifts([0, count, 1, 0])
    shift.frameSeq = 2
    shift.baseFrameSeq = 1
    shift.liveCount = UInt32(count)
    _ = try mirror.apply(shift)
    keyframe.frameSeq = 3
    keyframe.baseFrameSeq = 2
    keyframe.packed.kindNames = []
    keyframe.packed.removedSlotRuns = [0, 1, 1, count - 1]
    _ = try mirror.apply(keyframe)
    #expect(mirror.liveCount == Int(count))
  }

  @Test("what frames bring is counted in bytes: texts, custom attributes and kind names")
  func tooManyBytes() throws {
    let text = String(repeating: "k", count: 5000)
    let frames: [Wire.LayoutFrame] = [
      .with {
        $0.elements.upserts = [
          .with {
            $0.itemKey = text
            $0.key.category = .cell
          }
        ]
      },
      .with { $0.packed.kindNames = Array(repeating: String(text.prefix(128)), count: 40) },
      .with {
        $0.elements.upserts = [
          .with {
            $0.key.category = .cell
            $0.attributes.custom.fields = ["a": .with { $0.stringValue = text }]
          }
        ]
      },
    ]
    for frame in frames {
      var frame = frame
      frame.frameSeq = 1
      var mirror = ElementMirror(limits: MirrorLimits(bytes: 5000))
      let fault = #expect(throws: MirrorFault.self) { try mirror.apply(frame) }
      guard case .tooLarge(let reason) = fault else {
        Issue.record("\(String(describing: fault))")
        continue
      }
      #expect(reason.hasPrefix("frame 1 takes "))
      #expect(reason.hasSuffix(" bytes or more; 5000 are allowed"))
    }
  }

  @Test("frames that never fit do not fill the mirror, and a keyframe that fits mends everything")
  func frameAfterFrame() throws {
    var mirror = ElementMirror(limits: MirrorLimits(elements: 4))
    _ = try mirror.apply(Self.keyframe)
    var faults: [MirrorFault] = []
    for step in 1 ... 6 as ClosedRange<UInt32> {
      let frame = Self.frame(1 + UInt64(step), after: 1) {
        $0.elements.upserts = [Self.cell(step * 2, item: 2), Self.cell(step * 2 + 1, item: 3)]
        // Never the number that it is.
        $0.liveCount = 100
      }
      do { _ = try mirror.apply(frame) } catch { faults.append(error) }
      #expect(mirror.liveCount <= 4)
    }
    #expect(faults.count == 6)
    #expect(faults.contains { if case .tooLarge = $0 { true } else { false } })
    var keyframe = Self.keyframe
    keyframe.frameSeq = 9
    #expect(try mirror.apply(keyframe)?.isKeyframe == true)
    #expect(mirror.liveCount == 2)
  }

  @Test("malformed columns are refused and never trap", arguments: 0 ..< 400 as Range<UInt64>)
  func malformedColumns(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ random: inout SplitMix64) -> Int32 {
      random.bool() ? Int32(random.int(-3 ... 9)) : Int32(truncatingIfNeeded: random.next())
    }
    let frame = Wire.LayoutFrame.with { frame in
      frame.frameSeq = 2
      frame.packed = .with {
        $0.upsertCount = UInt32(random.bool() ? random.int(0 ... 4) : random.int(0 ... 1 << 31))
        $0.slotRuns = random.some(0 ... 6, number)
        $0.removedSlotRuns = random.some(0 ... 4, number)
        $0.categories = random.some(0 ... 4, number)
        $0.kinds = random.some(0 ... 4, number)
        $0.kindNames = random.some { $0.word() }
        $0.sections = random.some(0 ... 4, number)
        $0.itemRuns = random.some(0 ... 4, number)
        $0.originX = Int64(truncatingIfNeeded: random.next())
        $0.xs = random.some(0 ... 4, number)
        $0.widths = random.some(0 ... 4, number)
        $0.alphas = random.some { UInt32(truncatingIfNeeded: $0.next()) }
        $0.indexShiftRuns = random.some(0 ... 8, number)
      }
    }
    var mirror = try mirror()
    // Nearly all are refused; the point is that nothing is too strange to be looked at.
    _ = try? mirror.apply(frame)
  }

  @Test("a heartbeat is checked against the frame that it speaks of")
  func heartbeat() throws {
    let mirror = try mirror()
    var heartbeat = Wire.Heartbeat.with {
      $0.lastFrameSeq = 1
      $0.liveCount = 2
      $0.stateChecksum = mirror.stateChecksum
    }
    #expect(mirror.agrees(with: heartbeat))
    heartbeat.stateChecksum &+= 1
    #expect(!mirror.agrees(with: heartbeat))
    heartbeat.lastFrameSeq = 2
    #expect(mirror.agrees(with: heartbeat))
  }
}
