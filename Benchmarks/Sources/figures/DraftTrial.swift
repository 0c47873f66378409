// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

/// Edits of a layout that places all later items again after each, as a session sees them that
/// shows drafts.
struct DraftTrial {
  private var session: ViewportSession
  private var scratch = SessionScratch()
  private var random = SplitMix64(seed: 11)
  /// Whether each frame so far told the client of its edit, and showed a draft.
  private(set) var isShown = true

  /// - Parameter place: where the viewer is, from 0 to 1.
  init(_ waterfall: Preparation, at place: Double) {
    let height = waterfall.prepared.contentSize.height - Workload.container.size.height
    session = ViewportSession(
      open: SessionParameters(
        contents: waterfall.prepared.context.contents,
        layout: LayoutConfiguration(waterfall.layout),
        viewport: ViewportChange(
          offset: Point(x: 0, y: height * place),
          size: Workload.container.size
        ),
        capabilities: ClientCapabilities(encoding: .packed),
        contentsLimits: Workload.limits
      )
    )
    if let request = session.wantedLayout { session.supply(waterfall.prepared, for: request) }
    _ = show()
  }

  /// Microseconds from a batch, which is validated and applied first, to the frame that shows it:
  /// the median of insertions and deletions by turns.
  ///
  /// - Parameter place: of the edits, from 0 to 1.
  mutating func edits(_ rounds: Int, at place: Double) throws -> Double {
    var times: [Double] = []
    for round in 0 ..< rounds {
      let count = session.query?.prepared.context.contents.itemCount ?? 1
      let item = Int(place * Double(count - 1))
      let operation: UpdateOperation =
        round % 2 == 0
        ? Workload.insert(at: item, &random)
        : .deleteItems(section: 0, items: item ..< item + 1)
      let event = SessionEvent.update(UpdateBatch([operation]))
      times.append(
        try Clock.time {
          _ = try session.receive(event, seq: session.lastEvent + 1, at: .zero)
          isShown = show() && isShown
        }
      )
    }
    return times.median * 1e6
  }

  private mutating func show() -> Bool {
    while let request = session.wantedLayout {
      guard let draft = try? request.draft(work: LayoutWork()) else { return false }
      session.supply(draft, for: request)
    }
    guard let frame = session.nextFrame(at: .zero, scratch: &scratch) else { return false }
    _ = try? session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
    scratch.takeBack(frame)
    return true
  }
}

extension Preparation {
  /// Microseconds from one edit to the frame that shows it, for viewers at the head, in the middle
  /// and at the tail: the worst of their medians.
  ///
  /// - Parameter place: of the edit, from 0 to 1.
  func draftedEdits(_ rounds: Int, at place: Double) throws -> Double {
    var worst = 0.0
    for viewer in [0, 0.5, 1] {
      var trial = DraftTrial(self, at: viewer)
      let time = try trial.edits(rounds, at: place)
      worst = max(worst, trial.isShown ? time : .nan)
    }
    return worst
  }
}
