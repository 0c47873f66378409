// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

/// Viewers of one feed who measure each item that comes into view: each for itself, or all for one
/// another.
struct SharingTrial {
  /// What one viewer takes.
  struct Cost {
    /// Of the processor, from the opening to the last frame.
    var microseconds: Double
    var bytes: Double
    /// How many layouts were derived for all viewers together.
    var derivations: Int
    /// Of the elements that the last viewer has.
    var checksum: UInt32
  }

  private let contents: CollectionContents
  private let layout = ListLayout(rowHeight: 60, isSelfSizing: true)
  private let pages: Int

  /// - Parameters:
  ///   - items: in the feed, of sizes that only renderers know.
  ///   - pages: that each viewer reads, from the top.
  init(items: Int, pages: Int) {
    contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: items)])])
    self.pages = pages
  }

  /// - Parameter sharing: whether what one viewer measured serves all.
  func run(_ viewers: Int, sharing: Bool) -> Cost {
    let first = layout.prepare(Workload.context(contents))
    var shared = SharedContents(contents, dataVersion: 0, isAveraged: layout.averagesMeasurements)
    /// The layouts that an engine would have, by version.
    var known: [UInt64: any PreparedLayout] = [1: first]
    var derivations = 0
    var sessions: [Viewer] = []
    sessions.reserveCapacity(viewers)
    let before = Memory.allocated ?? 0
    let seconds = Clock.time {
      for _ in 0 ..< viewers {
        var viewer = Viewer(contents, layout: layout)
        if sharing { _ = viewer.session.share(shared) }
        for page in 0 ..< pages {
          if page > 0 { viewer.scroll(to: Double(page) * 900) }
          viewer.settle(first, sharing: sharing, &known, &derivations)
          viewer.measure(with: &shared, sharing: sharing)
          viewer.settle(first, sharing: sharing, &known, &derivations)
        }
        sessions.append(viewer)
        // An engine keeps the newest one.
        if sharing { known = known.filter { $0.key == shared.version } }
      }
    }
    let bytes = Double((Memory.allocated ?? 0) - before) / Double(viewers)
    let checksum = sessions.last?.session.stateChecksum ?? 0
    withExtendedLifetime((sessions, known)) {}
    return Cost(
      microseconds: seconds * 1e6 / Double(viewers),
      bytes: bytes,
      derivations: derivations,
      checksum: checksum
    )
  }

  /// A session and its client, which knows the size of each item.
  private struct Viewer {
    var session: ViewportSession
    /// The items in the slots.
    private var slots: [UInt32: Int] = [:]
    private var event: UInt64 = 1

    init(_ contents: CollectionContents, layout: any CollectionLayout) {
      session = ViewportSession(
        open: SessionParameters(
          contents: contents,
          isShared: true,
          layout: LayoutConfiguration(layout),
          viewport: ViewportChange(offset: .zero, size: Workload.container.size),
          options: SessionOptions(overscanAhead: 0, overscanBehind: 0),
          capabilities: ClientCapabilities(encoding: .packed)
        )
      )
    }

    private mutating func send(_ change: SessionEvent) -> [SessionMessage] {
      event += 1
      return (try? session.receive(change, seq: event, at: .zero)) ?? []
    }

    mutating func scroll(to y: Double) {
      let change = ViewportChange(observedFrame: session.lastFrame, offset: Point(x: 0, y: y))
      _ = send(.viewport(change))
    }

    /// Supplies layouts and takes frames until there are no more.
    mutating func settle(
      _ first: any PreparedLayout,
      sharing: Bool,
      _ known: inout [UInt64: any PreparedLayout],
      _ derivations: inout Int
    ) {
      while true {
        while let request = session.wantedLayout {
          let layout: any PreparedLayout
          if request.isShareable, !sharing {
            layout = first
          } else if sharing, let made = known[request.version] {
            layout = made
          } else {
            layout = request.prepare()
            derivations += 1
            if sharing { known[request.version] = layout }
          }
          session.supply(layout, for: request)
        }
        guard let frame = session.nextFrame(at: .zero) else { return }
        if frame.isKeyframe { slots = [:] }
        for slot in frame.removedSlots { slots[slot] = nil }
        for element in frame.upserts { slots[element.slot] = element.element.indexPath.item }
        _ = try? session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
      }
    }

    /// Reports the size of every cell that it has.
    mutating func measure(with shared: inout SharedContents, sharing: Bool) {
      let cells = slots.sorted { $0.key < $1.key }
      let report = MeasurementReport(
        observedFrame: session.lastFrame,
        slots: cells.map(\.key),
        sizes: cells.map { Size(width: 1024, height: 40 + Double($0.value * 7919 % 160)) }
      )
      for case .share(let offer) in send(.measurements(report)) {
        let outcome = shared.offer(
          offer.sizes,
          at: session.sharedVersion,
          mayContribute: true,
          room: .max
        )
        _ = session.offered(offer, outcome, at: .zero)
        shared.commit()
      }
      guard sharing else { return }
      for step in shared.changes(since: session.sharedVersion) ?? [] {
        _ = session.sharedChanged(step)
      }
    }
  }
}
