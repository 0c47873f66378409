// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Dispatch
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Lines that two threads break", .timeLimit(.minutes(3)))
struct PieceworkLinesTests {
  /// A line: its first item, where it starts, and its length with the spacing behind it.
  private struct Line {
    var item: Int
    var offset: Double
    var pitch: Double
  }

  private func lines(_ leaves: [LineLeaf]) -> [Line] {
    var lines: [Line] = []
    var (items, length) = (0, 0.0)
    for leaf in leaves {
      for line in 0 ..< leaf.summary.lines {
        let (start, end) = (leaf.start(ofLine: line), leaf.start(ofLine: line + 1))
        lines.append(
          Line(
            item: items + start.item,
            offset: length + start.offset,
            pitch: end.offset - start.offset
          )
        )
      }
      items += leaf.summary.items
      length += leaf.summary.length
    }
    return lines
  }

  private func serial(_ items: ItemSequence, _ rule: LineRule) -> [LineLeaf] {
    var breaker = LineBreaker(rule)
    breaker.add(items, in: 0 ..< items.count, work: .unlimited)
    return breaker.finish()
  }

  private func piecework(
    _ items: ItemSequence,
    _ rule: LineRule,
    pieceItems: Int,
    _ assistance: Assistance
  ) -> [LineLeaf] {
    var breaker = LineBreaker(rule)
    var piecework = PieceworkLines(items, rule: rule, pieceItems: pieceItems)
    piecework.add(to: &breaker, work: LayoutWork(assistance: assistance))
    return breaker.finish()
  }

  private func expectSame(_ found: [LineLeaf], _ wanted: [LineLeaf], _ note: String) {
    let (foundLines, wantedLines) = (lines(found), lines(wanted))
    #expect(foundLines.map(\.item) == wantedLines.map(\.item), "\(note)")
    let wrong = zip(foundLines, wantedLines).first {
      abs($0.offset - $1.offset) > 1e-6 || abs($0.pitch - $1.pitch) > 1e-9
    }
    #expect(wrong == nil, "\(note)")
    #expect(found.reduce(0) { $0 + $1.summary.items } == wanted.reduce(0) { $0 + $1.summary.items })
    for leaf in found where !leaf.isClosedForm {
      #expect(leaf.firstItem(ofLine: leaf.summary.lines - 1) < LineBreaker.leafItems, "\(note)")
    }
  }

  /// Numbers of one of the forms in which a column may store them.
  private func column(_ count: Int, _ random: inout SplitMix64) -> [Double] {
    switch random.int(0 ... 5) {
    case 0: return []
    case 1: return [Double(random.int(0 ... 90))]
    case 2: return (0 ..< count).map { _ in Double(random.int(0 ... 400)) / 3 }
    case 3: return (0 ..< count).map { _ in Double(random.int(0 ... 6400)) / 64 }
    default: return (0 ..< count).map { _ in Double(random.int(10 ... 160)) }
    }
  }

  private func items(_ random: inout SplitMix64) -> ItemSequence {
    let blocks = (0 ... random.int(0 ... 5)).map { _ in
      let count = random.int(1 ... 2500)
      return ItemBlock(
        count: count,
        widths: column(count, &random),
        heights: column(count, &random)
      )
    }
    return SectionContents(blocks: blocks).items
  }

  private func rule(_ random: inout SplitMix64, isList: Bool = false) -> LineRule {
    LineRule(
      axis: random.int(0 ... 1) == 0 ? .vertical : .horizontal,
      extent: Double(random.int(30 ... 900)) / (random.int(0 ... 1) == 0 ? 1 : 3),
      itemSpacing: [0, 0.3, 5, 10][random.int(0 ... 3)],
      lineSpacing: [0, 0.3, 10][random.int(0 ... 2)],
      defaultSize: Size(width: Double(random.int(0 ... 60)), height: 20),
      isList: isList,
      pixelGrid: random.int(0 ... 4) == 0 ? PixelGrid(scale: 2) : nil
    )
  }

  @Test("are those that one thread breaks, whatever the second one has done", arguments: 0 ..< 8)
  func order(batch: UInt64) {
    for seed in batch * 30 ..< batch * 30 + 30 {
      var random = SplitMix64(seed: seed)
      let items = items(&random)
      let rule = rule(&random, isList: seed % 7 == 0)
      // Goes on for some questions, then is called back in the middle of a piece, and lent again.
      let patience = random.int(1 ... 9)
      let thread = LentThread { $0 % patience < patience - 1 }
      let found = piecework(
        items,
        rule,
        pieceItems: random.int(1 ... 3000),
        Assistance(thread: thread, isAtOnce: true)
      )
      expectSame(found, serial(items, rule), "seed \(seed)")
      #expect(thread.loans > 0)
    }
  }

  @Test("are those that one thread breaks, when both run at once", arguments: 0 ..< 8)
  func threads(batch: UInt64) {
    for seed in 1000 + batch * 30 ..< 1000 + batch * 30 + 30 {
      var random = SplitMix64(seed: seed)
      let items = items(&random)
      let rule = rule(&random, isList: seed % 7 == 0)
      let thread = LentThread()
      let found = piecework(
        items,
        rule,
        pieceItems: random.int(100 ... 1500),
        Assistance(thread: thread)
      )
      thread.wait()
      expectSame(found, serial(items, rule), "seed \(seed)")
    }
  }

  /// Equal extents, so that lines that begin elsewhere go on elsewhere: seven to a line; and all in
  /// one line.
  @Test("are right where lines of pieces never begin where lines do", arguments: [130.0, 0])
  func disagreement(width: Double) {
    let count = 40_000
    let items = SectionContents(blocks: [
      ItemBlock(
        count: count,
        widths: [width],
        heights: (0 ..< count).map { Double(20 + $0 * 7 % 31) }
      )
    ]).items
    let rule = LineRule(
      axis: .vertical,
      extent: 1000,
      itemSpacing: width > 0 ? 10 : 0,
      lineSpacing: 10,
      defaultSize: .zero,
      isList: false,
      pixelGrid: nil
    )
    for isAtOnce in [true, false] {
      let thread = LentThread()
      let found = piecework(
        items,
        rule,
        pieceItems: 5000,
        Assistance(thread: thread, isAtOnce: isAtOnce)
      )
      thread.wait()
      expectSame(found, serial(items, rule), "\(width)")
    }
  }

  @Test("do not become leaves of few items where pieces meet")
  func leaves() {
    var random = SplitMix64(seed: 5)
    let count = 60_000
    let items = SectionContents(blocks: [
      ItemBlock(
        count: count,
        widths: (0 ..< count).map { _ in Double(random.int(40 ... 200)) },
        heights: (0 ..< count).map { _ in Double(random.int(40 ... 200)) }
      )
    ]).items
    let rule = LineRule(
      axis: .vertical,
      extent: 1024,
      itemSpacing: 10,
      lineSpacing: 10,
      defaultSize: .zero,
      isList: false,
      pixelGrid: nil
    )
    let found = piecework(
      items,
      rule,
      pieceItems: 3000,
      Assistance(thread: LentThread(), isAtOnce: true)
    )
    let wanted = serial(items, rule)
    expectSame(found, wanted, "")
    #expect(found.count < wanted.count + 2 * 20)
    #expect(found.dropLast().allSatisfy { $0.summary.items >= LineBreaker.leafItems / 4 })
  }

  @Test("do not wait for a thread that does not get on")
  func stuck() {
    var random = SplitMix64(seed: 6)
    let count = 100_000
    let items = SectionContents(blocks: [
      ItemBlock(
        count: count,
        widths: (0 ..< count).map { _ in Double(random.int(40 ... 200)) },
        heights: [50]
      )
    ]).items
    let rule = rule(&random)
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = LentThread { question in
      if question == 1 {
        begun.signal()
        gate.wait()
      }
      return true
    }
    let found = piecework(
      items,
      rule,
      pieceItems: 10_000,
      Assistance(thread: thread, begun: begun)
    )
    expectSame(found, serial(items, rule), "")
    gate.signal()
    thread.wait()
  }
}
