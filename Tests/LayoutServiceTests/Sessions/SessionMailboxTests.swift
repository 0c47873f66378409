// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@testable import LayoutService

@Suite("The mailbox of a session", .timeLimit(.minutes(1)))
struct SessionMailboxTests {
  private func viewport(_ seq: UInt64, y: Double? = nil, ack: UInt64 = 0) -> SessionInput {
    var change = ViewportChange(observedFrame: seq)
    change.offset = y.map { Point(x: 0, y: $0) }
    return SessionInput(
      ack: FrameAck(sequence: ack),
      event: .event(.viewport(change), seq: seq)
    )
  }

  private func event(_ seq: UInt64) -> SessionInput {
    SessionInput(event: .event(.resync, seq: seq))
  }

  private func contents(_ mailbox: SessionMailbox) -> [String] {
    mailbox.mail.inputs.map { input in
      let ack = "\(input.ack.sequence)\(input.ack.isRejected ? "!" : "")"
      return switch input.event {
      case .event(.viewport(let change), let seq): "\(ack) v\(seq) \(change.offset?.y ?? -1)"
      case .event(_, let seq), .refused(_, let seq), .renewed(let seq): "\(ack) e\(seq)"
      case nil: ack
      }
    }
  }

  @Test("viewports in a row become one, across acknowledgements, and never across another event")
  func viewports() {
    var mailbox = SessionMailbox(countLimit: 64, byteLimit: 1 << 20)
    mailbox.append(viewport(1, y: 10))
    mailbox.append(SessionInput(ack: FrameAck(sequence: 3)))
    mailbox.append(viewport(2))
    mailbox.append(viewport(3, y: 30, ack: 4))
    #expect(contents(mailbox) == ["4 v3 30.0"])
    mailbox.append(event(4))
    mailbox.append(viewport(5, y: 50))
    #expect(contents(mailbox) == ["4 v3 30.0", "0 e4", "0 v5 50.0"])
  }

  @Test("an acknowledgement never moves ahead of an event, and a rejection stays as it is")
  func acknowledgements() {
    var mailbox = SessionMailbox(countLimit: 64, byteLimit: 1 << 20)
    mailbox.append(event(1))
    mailbox.append(SessionInput(ack: FrameAck(sequence: 1)))
    mailbox.append(SessionInput(ack: FrameAck(sequence: 2)))
    mailbox.append(SessionInput())
    #expect(contents(mailbox) == ["0 e1", "2"])
    mailbox.append(SessionInput(ack: FrameAck(sequence: 3, isRejected: true)))
    mailbox.append(SessionInput(ack: FrameAck(sequence: 4)))
    #expect(contents(mailbox) == ["0 e1", "2", "3!", "4"])
    // A checksum is compared, not passed over.
    mailbox.append(SessionInput(ack: FrameAck(sequence: 5, stateChecksum: 7)))
    mailbox.append(SessionInput(ack: FrameAck(sequence: 6)))
    #expect(contents(mailbox) == ["0 e1", "2", "3!", "5", "6"])
    // Neither is one that goes back, for the session to judge.
    mailbox.append(SessionInput(ack: FrameAck(sequence: 2)))
    #expect(contents(mailbox).suffix(2) == ["6", "2"])
  }

  @Test(
    "a batch is charged by what it takes in memory, and what is taken out until it is processed"
  )
  func bytes() {
    // On the wire some 200,000 bytes.
    let blocks = Array(repeating: ItemBlock(count: 1), count: 100_000)
    let batch = UpdateBatch([.insertItems(at: IndexPath(section: 0, item: 0), items: blocks)])
    let input = SessionInput(event: .event(.update(batch), seq: 1))
    #expect(input.byteCount >= 100_000 * MemoryLayout<ItemBlock>.stride)
    #expect(input.byteCount < 100_000 * MemoryLayout<ItemBlock>.stride + 1000)
    var mailbox = SessionMailbox(countLimit: 64, byteLimit: 1 << 20)
    mailbox.append(event(1))
    #expect(!mailbox.isFull)
    mailbox.append(input)
    #expect(mailbox.isFull)
    #expect(mailbox.take().inputs.count == 2)
    #expect(mailbox.isFull)
    mailbox.finishedInput()
    #expect(!mailbox.isFull)
  }

  @Test("section offsets that are merged are charged")
  func sectionOffsets() {
    var mailbox = SessionMailbox(countLimit: 64, byteLimit: 100_000)
    var count = 0
    while !mailbox.isFull, count < 10_000 {
      var change = ViewportChange()
      change.sectionOffsets = [count: 1]
      count += 1
      mailbox.append(SessionInput(event: .event(.viewport(change), seq: UInt64(count))))
    }
    #expect(mailbox.mail.inputs.count == 1)
    #expect(count > 2000 && count < 4000)
  }

  @Test("columns, keys, sections and snapshots count")
  func sizes() {
    func size(_ operation: UpdateOperation) -> Int {
      SessionInput(event: .event(.update(UpdateBatch([operation])), seq: 1)).byteCount
    }
    let path = IndexPath(section: 0, item: 0)
    let plain = size(.insertItems(at: path, items: [ItemBlock(count: 1)]))
    let block = ItemBlock(
      count: 1000,
      heights: Array(repeating: 1, count: 1000),
      keys: (0 ..< 1000).map { "a key of more than fifteen bytes \($0)" }
    )
    #expect(size(.insertItems(at: path, items: [block])) > plain + 1000 * (8 + 16 + 32))
    let section = SectionContents(blocks: [block])
    #expect(size(.insertSections(at: 0, [section])) > 1000 * 30)
    #expect(size(.reloadSection(0, section)) > 1000 * 30)
    let snapshot = SnapshotUpdate(
      contents: CollectionContents(sections: [section]),
      reloadedItemKeys: block.keys
    )
    let input = SessionInput(
      event: .event(.update(UpdateBatch(change: .snapshot(snapshot))), seq: 1)
    )
    #expect(input.byteCount > 2000 * 30)
  }

  @Test("what is dragged in, pointed at and asked for counts")
  func texts() {
    func size(_ event: SessionEvent) -> Int {
      SessionInput(event: .event(event, seq: 1)).byteCount
    }
    let text = String(repeating: "a", count: 100_000)
    let key = ElementKey(category: .cell, kind: text, indexPath: IndexPath(section: 0, item: 0))
    let few = DraggedItems([ItemBlock(count: 1, data: [text])], cellKindNames: [])
    let events: [SessionEvent] = [
      .movement(.beginForeign(.new(few))),
      .movement(.beginForeign(.new(DraggedItems([ItemBlock(count: 1)], cellKindNames: [text])))),
      .movement(.beginForeign(.collection(text, keys: []))),
      .movement(.beginForeign(.collection("", keys: [text]))),
      .movement(.beginItems(.keys([text]))),
      .invalidation([key]),
      .scrollTarget(.element(key, at: .nearest)),
      .scrollTarget(.neighbor(of: .element(key), step: .down, at: .nearest)),
      .scrollTarget(.item(key: text, at: .nearest)),
      .namedLayout(text, isAnimated: false),
      .unsupported(text),
    ]
    for event in events { #expect(size(event) >= text.utf8.count, "\(event)") }
    let blocks = Array(repeating: ItemBlock(count: 1), count: 1000)
    let many = size(.movement(.beginForeign(.new(DraggedItems(blocks, cellKindNames: [])))))
    #expect(many > 1000 * MemoryLayout<ItemBlock>.stride)
  }

  @Test("what asks that nothing be kept is found among what was not processed")
  func discards() {
    var mailbox = SessionMailbox(countLimit: 64, byteLimit: 1 << 20)
    mailbox.append(SessionInput(event: .event(.close(discard: false), seq: 1)))
    #expect(!mailbox.mail.discards)
    mailbox.append(SessionInput(event: .event(.close(discard: true), seq: 2)))
    #expect(mailbox.mail.discards)
  }
}
