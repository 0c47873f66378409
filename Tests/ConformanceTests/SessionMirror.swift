// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import SwiftProtobuf

/// The elements that a client holds, by slot, kept by the rules that every session must obey.
struct SessionMirror {
  private(set) var slots: [UInt32: ObservedElement] = [:]
  private(set) var usedSlots: Set<UInt32> = []
  private(set) var frameSeq: UInt64 = 0
  private(set) var frameCount = 0
  private(set) var contentSize: [Double] = [0, 0]
  private(set) var sensitivity = CollectionLayout_V1_ScrollSensitivity.unspecified
  private(set) var lastAdjustment = CollectionLayout_V1_Point()
  var dataVersion: UInt64 = 0
  private var parts: [CollectionLayout_V1_LayoutFrame] = []

  var elements: [ObservedElement] { slots.sorted { $0.key < $1.key }.map(\.value) }

  /// Slots by every name that an expectation may use.
  var slotsByName: [UInt32: ObservedElement] { slots }

  /// - Returns: whether the frame is whole now and has been applied.
  mutating func apply(_ part: CollectionLayout_V1_LayoutFrame) throws -> Bool {
    if let first = parts.first, first.frameSeq != part.frameSeq {
      throw Mismatch("a part of frame \(part.frameSeq) among those of \(first.frameSeq)")
    }
    parts.append(part)
    if part.continued { return false }
    defer { parts = [] }
    try checkSequence(parts[0])
    if parts[0].baseFrameSeq == 0 { slots = [:] }
    lastAdjustment = .init()
    for part in parts { try applyBody(part) }
    frameSeq = part.frameSeq
    frameCount += 1
    dataVersion = part.dataVersion
    guard Int(part.liveCount) == slots.count else {
      throw Mismatch("live count \(part.liveCount), but \(slots.count) slots are filled")
    }
    return true
  }

  private func checkSequence(_ frame: CollectionLayout_V1_LayoutFrame) throws {
    guard frame.frameSeq > frameSeq else {
      throw Mismatch("frame \(frame.frameSeq) after \(frameSeq)")
    }
    guard frame.baseFrameSeq == 0 || frame.baseFrameSeq == frameSeq else {
      throw Mismatch("frame on \(frame.baseFrameSeq), but the last one was \(frameSeq)")
    }
    if frameCount == 0, frame.baseFrameSeq != 0 { throw Mismatch("first frame is no keyframe") }
  }

  private mutating func applyBody(_ part: CollectionLayout_V1_LayoutFrame) throws {
    if part.hasContentSize { contentSize = [part.contentSize.width, part.contentSize.height] }
    if part.scrollSensitivity != .unspecified { sensitivity = part.scrollSensitivity }
    lastAdjustment.x += part.contentOffsetAdjustment.x
    lastAdjustment.y += part.contentOffsetAdjustment.y
    for slot in part.elements.removedSlots where slots.removeValue(forKey: slot) == nil {
      throw Mismatch("slot \(slot) is removed, but was empty")
    }
    for element in part.elements.upserts {
      slots[element.slot] = ObservedElement(element)
      usedSlots.insert(element.slot)
    }
  }

  func measurements(_ list: [JSON]) throws -> CollectionLayout_V1_MeasurementReport {
    var report = CollectionLayout_V1_MeasurementReport()
    for entry in list {
      let size = entry["size"]?.numbers.map { $0 ?? 0 } ?? [0, 0]
      for step in 0 ..< (entry["count"]?.int ?? 1) {
        guard let slot = slots.first(where: { matches($0.value, entry, step) })?.key else {
          throw Mismatch("\(entry.text) + \(step) is not live and cannot be measured")
        }
        report.slots.append(slot)
        report.sizes.append(
          .with {
            $0.width = size[0]
            $0.height = size[1]
          }
        )
      }
    }
    return report
  }

  private func matches(_ element: ObservedElement, _ entry: JSON, _ step: Int) -> Bool {
    guard step > 0, let first = entry["item"]?.int else { return element.isNamed(by: entry) }
    return element.key.category == .cell && Int(element.key.indexPath.item) == first + step
      && Int(element.key.indexPath.section) == entry["section"]?.int ?? 0
  }
}

/// What came since a step began.
struct SeenInStep {
  var event: UInt64 = 0
  /// Slots as they were before the step.
  var slots: [UInt32: ObservedElement] = [:]
  var dataVersion: UInt64 = 0
  var usedSlots: Set<UInt32> = []
  var result: CollectionLayout_V1_EventResult?
  var scrollTarget: CollectionLayout_V1_ScrollTarget?
  var adjustment = [0.0, 0.0]
  var isAnimated = false
  var appearing: [ObservedElement] = []
  var disappearing: [ObservedElement] = []
  var hadKeyframe = false
  /// Heartbeats since the last other response: the server has nothing more to say.
  var heartbeats = 0

  var isAnswered: Bool { result != nil }

  init(event: UInt64 = 0, slots: [UInt32: ObservedElement] = [:], dataVersion: UInt64 = 0) {
    self.event = event
    self.slots = slots
    self.dataVersion = dataVersion
  }

  mutating func note(_ frame: CollectionLayout_V1_LayoutFrame, mirror: SessionMirror) {
    adjustment[0] += mirror.lastAdjustment.x
    adjustment[1] += mirror.lastAdjustment.y
    isAnimated = isAnimated || frame.transition.animated
    appearing += frame.transition.appearing.map(ObservedElement.init)
    disappearing += frame.transition.disappearing.map(ObservedElement.init)
    hadKeyframe = hadKeyframe || frame.baseFrameSeq == 0
  }

  func check(_ expect: JSON, mirror: SessionMirror, tolerance: Tolerance) throws {
    if let expected = expect["offsetAdjustment"]?.numbers,
      !closeEnough(adjustment, expected, tolerance.length)
    {
      throw Mismatch("offset adjustment \(adjustment), expected \(expected)")
    }
    if let expected = expect["animated"]?.bool, expected != isAnimated {
      throw Mismatch("animated \(isAnimated), expected \(expected)")
    }
    let elements = ElementExpectations(tolerance: tolerance)
    for expected in expect["appearing"]?.list ?? [] {
      try elements.find(expected, in: appearing).check(expected, tolerance)
    }
    for expected in expect["disappearing"]?.list ?? [] {
      try elements.find(expected, in: disappearing).check(expected, tolerance)
    }
    if expect["keyframe"]?.bool == true, !hadKeyframe { throw Mismatch("there was no keyframe") }
    try checkSlots(expect, mirror)
    if let expected = expect["scrollSensitivity"]?.string,
      expected != (mirror.sensitivity == .everyScroll ? "EVERY_SCROLL" : "COVERAGE")
    {
      throw Mismatch("scroll sensitivity \(mirror.sensitivity), expected \(expected)")
    }
    let growth = Int(mirror.dataVersion) - Int(dataVersion)
    if let expected = expect["dataVersionGrowth"]?.int, expected != growth {
      throw Mismatch("data version grew by \(growth), expected \(expected)")
    }
    if let expected = expect["scrollTarget"] {
      guard let scrollTarget else { throw Mismatch("no scroll target") }
      try checkScrollTarget(
        expected,
        offset: scrollTarget.contentOffset,
        key: scrollTarget.hasKey ? scrollTarget.key : nil,
        tolerance: tolerance
      )
    }
  }

  private func checkSlots(_ expect: JSON, _ mirror: SessionMirror) throws {
    for pair in expect["sameSlot"]?.list ?? [] {
      func name(_ json: JSON) -> JSON {
        json.string.map { JSON(value: ["itemKey": $0]) } ?? json
      }
      let before = slots.first { $0.value.isNamed(by: name(pair.list[0])) }
      let after = mirror.slots.first { $0.value.isNamed(by: name(pair.list[1])) }
      guard let before, let after, before.key == after.key else {
        let found = "\(String(describing: before?.key)) then \(String(describing: after?.key))"
        throw Mismatch("\(pair.text) is in slot \(found)")
      }
    }
    if expect["slotsReused"]?.bool == true {
      let fresh = Set(mirror.slots.keys).subtracting(usedSlots.union(slots.keys))
      if !fresh.isEmpty { throw Mismatch("slots \(fresh) were never in use before") }
    }
  }
}
