// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import LayoutGeometry
import LayoutSession
import Workloads

/// A prepared layout of the workload, and what it cost.
struct Preparation {
  let layout: any CollectionLayout
  let prepared: any PreparedLayout
  let seconds: Double

  init(_ layout: any CollectionLayout, _ contents: CollectionContents, runs: Int) {
    let context = Workload.context(contents)
    var prepared = layout.prepare(context)
    seconds = Clock.median(of: runs) { prepared = layout.prepare(context) }
    self.prepared = prepared
    self.layout = layout
  }

  var count: Double { Double(prepared.context.contents.itemCount) }
  var nanosecondsEach: Double { seconds * 1e9 / count }
  var bytesEach: Double { Double(prepared.byteCount) / count }

  /// Elements in rects at random places: microseconds each, and how many elements.
  func queries(_ rects: Int) -> (microseconds: Double, hits: Double) {
    let rects = Workload.rects(rects, in: prepared.contentSize)
    let viewport = Viewport(offset: .zero, size: Workload.container.size)
    var buffer = ElementBuffer()
    var hits = 0
    let seconds = Clock.time {
      for rect in rects {
        buffer.removeAll()
        prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
        hits += buffer.elements.count
      }
    }
    return (seconds * 1e6 / Double(rects.count), Double(hits) / Double(rects.count))
  }

  /// Single inserts and deletes at the head, in the middle and at the tail, each followed by a
  /// query of what is to be seen there: microseconds, the median of each place, the worst of them.
  func edits(_ rounds: Int) throws -> Double {
    let viewport = Viewport(offset: .zero, size: Workload.container.size)
    var random = SplitMix64(seed: 7)
    var buffer = ElementBuffer()
    var worst = 0.0
    for place in [0.0, 0.5, 1] {
      var current = prepared
      var times: [Double] = []
      for round in 0 ..< rounds {
        let contents = current.context.contents
        let item = Int(place * Double(contents.itemCount - 1))
        let operation: UpdateOperation =
          round % 2 == 0
          ? Workload.insert(at: item, &random)
          : .deleteItems(section: 0, items: item ..< item + 1)
        let batch = UpdateBatch([operation])
        times.append(
          try Clock.time {
            let change = try contents.applying(batch, limits: Workload.limits)
            current = layout.update(current, by: change)
            buffer.removeAll()
            let size = current.contentSize
            current.appendElements(
              in: Rect(x: 0, y: place * (size.height - 768), width: 1024, height: 768),
              viewport: viewport,
              to: &buffer
            )
          }
        )
      }
      worst = max(worst, times.median)
    }
    return worst * 1e6
  }

  /// One batch of inserts at random places, in milliseconds: contents, and prepared layout.
  func batch(_ inserts: Int, runs: Int) throws -> (contents: Double, layout: Double) {
    let contents = prepared.context.contents
    var parts: (contents: [Double], layout: [Double]) = ([], [])
    for run in 0 ..< runs {
      let batch = Workload.inserts(inserts, into: contents.itemCount, seed: UInt64(run))
      var change: ContentsChange?
      parts.contents.append(
        try Clock.time { change = try contents.applying(batch, limits: Workload.limits) }
      )
      guard let change else { continue }
      parts.layout.append(Clock.time { _ = layout.update(prepared, by: change) })
    }
    return (parts.contents.median * 1e3, parts.layout.median * 1e3)
  }
}

/// How long it takes to prepare a layout on one thread, and on two in the same run: medians,
/// measured by turns. On a machine without a free processor two gain nothing.
struct TwoThreads {
  /// Nanoseconds an item.
  let one: Double
  let two: Double

  init(_ layout: any CollectionLayout, _ contents: CollectionContents, runs: Int) throws {
    let context = Workload.context(contents)
    let thread = SecondThread()
    var times: (one: [Double], two: [Double]) = ([], [])
    // The first round counts for nothing.
    for run in 0 ... runs {
      var prepared: (any PreparedLayout)?
      let alone = LayoutWork { true }
      let one = try Clock.elapsed { prepared = try layout.prepare(context, work: alone) }
      withExtendedLifetime(prepared) {}
      let assisted = LayoutWork(assistance: thread) { true }
      let two = try Clock.elapsed { prepared = try layout.prepare(context, work: assisted) }
      withExtendedLifetime(prepared) {}
      guard run > 0 else { continue }
      times.one.append(one)
      times.two.append(two)
    }
    let scale = 1e9 / Double(contents.itemCount)
    one = times.one.median * scale
    two = times.two.median * scale
  }
}

/// A thread that takes part in computations whenever they ask for one.
private final class SecondThread: LayoutAssistance {
  private let queue = DispatchQueue(label: "second thread")

  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    queue.async { assist { true } }
    return true
  }
}

/// Frames of a scrolling session.
enum Scrolling {
  /// Microseconds of one step that brings 10 elements and takes 10, from event to encoded frame.
  static func step(_ encoding: ElementEncoding) -> Double {
    // Cells of 95 with spacing 10: ten columns; a step is one row.
    let grid = FlowLayout(
      itemSize: Size(width: 93, height: 93),
      minimumLineSpacing: 10,
      minimumInteritemSpacing: 10,
      alignment: .leading
    )
    var session = ScrollingSession(
      Workload.contents(1_000_000, .equal),
      layout: grid,
      capabilities: ClientCapabilities(encoding: encoding)
    )
    var times: [Double] = []
    for block in 0 ..< 21 {
      let seconds = Clock.time {
        for step in 0 ..< 500 { session.step(to: Double(block * 500 + step + 1) * 103) }
      }
      times.append(seconds / 500)
    }
    return times.median * 1e6
  }

  /// Seconds until a session can show the beginning of what is prepared.
  static func beginning(_ prepared: any PreparedLayout) -> Double {
    let session = ViewportSession(
      open: SessionParameters(
        contents: prepared.context.contents,
        layout: LayoutConfiguration(Workload.waterfall),
        viewport: ViewportChange(offset: .zero, size: Workload.container.size),
        capabilities: ClientCapabilities(encoding: .packed)
      )
    )
    var isShown = true
    let seconds = Clock.median(of: 21) {
      isShown = session.wantedLayout?.prepareBeginning() != nil && isShown
    }
    return isShown ? seconds : .nan
  }

  /// Bytes an element of a packed keyframe.
  static func packedBytes(_ layout: any CollectionLayout, _ contents: CollectionContents) -> Double
  {
    let session = ScrollingSession(contents, layout: layout)
    guard let frame = session.frame, !frame.upserts.isEmpty else { return .nan }
    return Double(session.bytes) / Double(frame.upserts.count)
  }
}
