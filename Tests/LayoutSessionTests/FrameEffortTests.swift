// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Effort of frames", .timeLimit(.minutes(2)))
struct FrameEffortTests {
  /// A session whose items, of different sizes, are all in one line, so that a query looks at each.
  private func session(_ count: Int = 200_000, anchor: AnchorMode = .none) -> ViewportSession {
    let widths = (0 ..< count).map { Double(10 + $0 % 7) }
    let contents = CollectionContents(
      sections: [
        SectionContents(
          blocks: [ItemBlock(count: count, widths: widths, heights: widths)]
        )
      ]
    )
    return ViewportSession(
      open: SessionParameters(
        contents: contents,
        layout: LayoutConfiguration(FlowLayout()),
        viewport: ViewportChange(size: Size(width: 1e8, height: 400)),
        options: SessionOptions(anchorMode: anchor),
        capabilities: ClientCapabilities(animations: true, checksums: true),
        maxElements: 1000
      )
    )
  }

  private func supply(_ session: inout ViewportSession) {
    while let request = session.wantedLayout { _ = session.supply(request.prepare(), for: request) }
  }

  @Test("a frame that takes more than a small effort is left to the owner, and then is the same")
  func leftToOwner() throws {
    var session = session()
    supply(&session)
    var twin = session
    var scratch = SessionScratch()
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    #expect(session.needsTurn)
    #expect(session.lastFrame == 0)
    #expect(session.hasWork)
    // It is not tried in vain again.
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    #expect(session.needsTurn)
    let work = LayoutWork(stepLimit: 10_000_000)
    let frame = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    #expect(!session.needsTurn)
    #expect(work.steps > SessionCosts.frameSteps)
    let expected = twin.nextFrame(at: .zero)
    #expect(try #require(frame).upserts.count > 1)
    #expect(frame?.upserts.map(\.element.frame) == expected?.upserts.map(\.element.frame))
    #expect(session.stateChecksum == twin.stateChecksum)
    // Nothing is due now.
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    #expect(!session.needsTurn)
  }

  @Test("a frame that takes more than its limits is not built, and the session is as before")
  func beyondLimits() {
    var session = session()
    supply(&session)
    var scratch = SessionScratch()
    let work = LayoutWork(stepLimit: 100_000)
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work)) == nil)
    #expect(work.stop == .tooManySteps(limit: 100_000))
    #expect(session.needsTurn)
    #expect(session.lastFrame == 0)
    #expect(session.nextFrame(at: .zero, scratch: &scratch) != nil)
  }

  @Test("a frame that is given up after its anchor was found leaves the offset alone")
  func anchoring() throws {
    var session = session(50_000, anchor: .firstVisible)
    supply(&session)
    var scratch = SessionScratch()
    // To look at 50,000 items once is a small effort.
    _ = try #require(session.nextFrame(at: .zero, scratch: &scratch, effort: .small))
    try session.acknowledge(FrameAck(sequence: 1), at: .zero)
    let insert = UpdateBatch([
      .insertItems(at: IndexPath(section: 0, item: 0), items: [ItemBlock(count: 100)])
    ])
    _ = try session.receive(.update(insert), seq: 2, at: .zero)
    #expect(session.dataVersion == 1)
    supply(&session)
    var twin = session
    let offset = session.viewport.offset
    // Enough to find the anchor, and not for the elements after that.
    let little = LayoutWork(stepLimit: 55_000)
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(little)) == nil)
    let needsTurn = session.needsTurn
    #expect(needsTurn)
    let offsetThen = session.viewport.offset
    #expect(offsetThen == offset)
    let work = LayoutWork(stepLimit: 100_000_000)
    let frame = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    let expected = twin.nextFrame(at: .zero)
    #expect(frame?.offsetAdjustment == expected?.offsetAdjustment)
    #expect(session.stateChecksum == twin.stateChecksum)
  }

  @Test("once frames cost little again, they are built at once")
  func cheapAgain() throws {
    var session = session()
    supply(&session)
    var scratch = SessionScratch()
    let work = LayoutWork(stepLimit: 10_000_000)
    _ = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    try session.acknowledge(FrameAck(sequence: 1), at: .zero)
    let size = ViewportChange(size: Size(width: 300, height: 400))
    _ = try session.receive(.viewport(size), seq: 2, at: .zero)
    supply(&session)
    // Nobody knows that yet.
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    let more = LayoutWork(stepLimit: 10_000_000)
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(more)) != nil)
    try session.acknowledge(FrameAck(sequence: 2), at: .zero)
    _ = try session.receive(
      .viewport(ViewportChange(offset: Point(x: 0, y: 5000))),
      seq: 3,
      at: .zero
    )
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) != nil)
  }

  @Test("a question where to scroll that takes too long is refused, and says what to ask instead")
  func questions() throws {
    var session = session(400_000)
    supply(&session)
    _ = session.nextFrame(at: .zero)
    let key = ElementKey(
      category: .cell,
      kind: "",
      indexPath: IndexPath(section: 0, item: 399_999)
    )
    let questions: [(ScrollRequest, instead: String)] = [
      (.element(key, at: .start), "ComputeScrollTarget"),
      (.neighbor(of: .element(key), step: .left, at: .nearest), "FindNeighbor"),
    ]
    for (seq, (question, instead)) in zip((2 as UInt64)..., questions) {
      let answers = try session.receive(.scrollTarget(question), seq: seq, at: .zero)
      guard case .eventResult(let result)? = answers.last else {
        Issue.record("no result")
        return
      }
      #expect(result.problem?.reason == .quotaSteps)
      #expect(result.problem?.message.contains(instead) == true)
    }
  }

  @Test("a frame of thousands of elements is left to the owner, however few its steps")
  func manyElements() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: CollectionContents(
          sections: [SectionContents(blocks: [ItemBlock(count: 100_000)])]
        ),
        layout: LayoutConfiguration(ListLayout(rowHeight: 1)),
        viewport: ViewportChange(size: Size(width: 100, height: 3000)),
        maxElements: 20_000
      )
    )
    supply(&session)
    var twin = session
    var scratch = SessionScratch()
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    #expect(session.needsTurn && session.lastFrame == 0)
    let work = LayoutWork(stepLimit: 10_000_000)
    let frame = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    #expect(try #require(frame).upserts.count > SessionCosts.frameElements)
    #expect(work.steps < SessionCosts.frameSteps)
    let expected = twin.nextFrame(at: .zero)
    #expect(frame?.upserts.count == expected?.upserts.count)
    #expect(!session.needsTurn)
    // Where nothing is to be told, nothing is looked for.
    try session.acknowledge(FrameAck(sequence: 1), at: .zero)
    let step = ViewportChange(offset: Point(x: 0, y: 1))
    _ = try session.receive(.viewport(step), seq: 2, at: .zero)
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work)) == nil)
    let far = ViewportChange(offset: Point(x: 0, y: 50_000), size: Size(width: 100, height: 100))
    _ = try session.receive(.viewport(far), seq: 3, at: .zero)
    supply(&session)
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) != nil)
  }
}
