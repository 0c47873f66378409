// SPDX-License-Identifier: Apache-2.0

import Benchmark
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

/// Prepare, query, update, diff and encode, by layout, size of the collection and kind of sizes.
/// BENCHMARK_MAX_ITEMS bounds the collections, for a quick run.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .instructions],
    warmupIterations: 1,
    maxDuration: .seconds(1),
    maxIterations: 200
  )
  for count in Workload.counts {
    for (name, layout, sizes) in Workload.layouts {
      for sizes in sizes {
        register(name, layout, count, sizes.rawValue) { Workload.contents(count, sizes) }
      }
    }
    register("spatial", Workload.spatial, count, "equal") { Workload.placedContents(count) }
  }
  registerSessions()
}

/// The benchmarks of one layout over one collection, which is built when the first of them runs.
private func register(
  _ name: String,
  _ layout: any CollectionLayout,
  _ count: Int,
  _ sizes: String,
  contents: @escaping @Sendable () -> CollectionContents
) {
  let place = "\(name) \(sizes) \(count)"
  Benchmark("prepare \(place)") { benchmark, context in
    for _ in benchmark.scaledIterations { blackHole(layout.prepare(context)) }
  } setup: {
    Workload.context(contents())
  }

  Benchmark("query \(place)", configuration: .init(scalingFactor: .kilo)) { benchmark, prepared in
    let rects = Workload.rects(1000, in: prepared.contentSize)
    let viewport = Viewport(offset: .zero, size: Workload.container.size)
    var buffer = ElementBuffer()
    benchmark.startMeasurement()
    for index in benchmark.scaledIterations {
      buffer.removeAll()
      prepared.appendElements(in: rects[index % rects.count], viewport: viewport, to: &buffer)
    }
    benchmark.stopMeasurement()
    blackHole(buffer.elements.count)
  } setup: {
    layout.prepare(Workload.context(contents()))
  }

  for (spot, item) in [("head", 0), ("middle", count / 2), ("tail", count)] {
    Benchmark("update \(spot) \(place)") { benchmark, prepared in
      var random = SplitMix64(seed: 3)
      for _ in benchmark.scaledIterations {
        let batch = UpdateBatch([Workload.insert(at: item, &random)])
        guard let change = try? prepared.context.contents.applying(batch, limits: Workload.limits)
        else { continue }
        blackHole(layout.update(prepared, by: change))
      }
    } setup: {
      layout.prepare(Workload.context(contents()))
    }
  }

  Benchmark("update batch of 1,000 \(place)") { benchmark, prepared in
    let batch = Workload.inserts(1000, into: count)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      guard let change = try? prepared.context.contents.applying(batch, limits: Workload.limits)
      else { continue }
      blackHole(layout.update(prepared, by: change))
    }
  } setup: {
    layout.prepare(Workload.context(contents()))
  }
}

/// Scrolling sessions: diff and encode.
private func registerSessions() {
  for encoding in ElementEncoding.allCases {
    Benchmark(
      "scroll step \(encoding)",
      configuration: .init(scalingFactor: .kilo)
    ) { benchmark in
      var session = ScrollingSession(
        Workload.contents(1_000_000, .equal),
        layout: Workload.flow,
        capabilities: ClientCapabilities(encoding: encoding)
      )
      benchmark.startMeasurement()
      for step in benchmark.scaledIterations { session.step(to: Double(step % 1000) * 60) }
      benchmark.stopMeasurement()
      blackHole(session.bytes)
    }
  }
}
