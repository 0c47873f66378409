// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession
import Workloads

/// A table of many rows of different heights and 1,000 columns of 100 points, of which one stays.
struct TableTrial {
  private static let layout = TableLayout(
    columns: (0 ..< 1000).map {
      TableColumn("c\($0)", width: .points(100), frozen: $0 == 0 ? .leading : nil)
    }
  )

  let preparation: Preparation

  init(_ count: Int) {
    preparation = Preparation(Self.layout, Workload.contents(count, .different), runs: 3)
  }

  /// Microseconds from the event in which a viewer resizes a column to the frame that shows it, and
  /// how many elements the viewer has.
  func resizing(_ steps: Int) -> (microseconds: Double, elements: Int) {
    var session = ViewportSession(
      open: SessionParameters(
        contents: preparation.prepared.context.contents,
        layout: LayoutConfiguration(Self.layout),
        viewport: ViewportChange(
          offset: Point(x: 20_000, y: preparation.prepared.contentSize.height / 2),
          size: Workload.container.size
        ),
        options: SessionOptions(maxInFlightFrames: 1),
        capabilities: ClientCapabilities(encoding: .packed)
      )
    )
    func show() {
      while let request = session.wantedLayout {
        session.supply(preparation.prepared, for: request)
      }
      guard let frame = session.nextFrame(at: .zero) else { return }
      // The frame was just made, so this never throws.
      _ = try? session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
    }
    show()
    var times: [Double] = []
    for step in 0 ..< steps {
      let change = TableChange(
        columns: ["c203": TableColumnPreference(width: Double(100 + step % 60))]
      )
      times.append(
        Clock.time {
          // The numbers rise, so this never throws.
          _ = try? session.receive(.table(change), seq: session.lastEvent + 1, at: .zero)
          show()
        }
      )
    }
    return (times.median * 1e6, session.liveCount)
  }
}
