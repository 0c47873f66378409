// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Workloads

/// Every operation on every subject, by size of the collection, and memory by item.
/// BENCHMARK_MAX_ITEMS bounds the collections, for a quick run.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock],
    warmupIterations: 0,
    maxDuration: .milliseconds(200),
    maxIterations: 1000
  )
  for subject in Subject.all {
    for count in Workload.counts {
      for operation in Operation.all { register(operation, subject, count) }
      registerMemory(subject, count)
    }
  }
}

/// The collection is built when the benchmark runs, and the operation tried before it is measured:
/// where it does not do what it should, the benchmark fails.
private func register(_ operation: Operation, _ subject: Subject, _ count: Int) {
  guard subject.has(operation, of: count) else { return }
  var configuration = Benchmark.defaultConfiguration
  configuration.scalingFactor = operation.runs(on: subject) > 1 ? .kilo : .one
  Benchmark(
    "\(operation.name), \(subject.name) \(count)",
    configuration: configuration
  ) { (benchmark: Benchmark, trial: any Trial) in
    for _ in benchmark.scaledIterations { blackHole(try trial.run()) }
  } setup: {
    let trial = try Stage(subject, count: count).trial(of: operation)
    try trial.verify()
    return trial
  }
}

/// Hundredths of a byte an item, as allocated.
private func registerMemory(_ subject: Subject, _ count: Int) {
  let contents = BenchmarkMetric.custom("contents, bytes for 100 items")
  let layout = BenchmarkMetric.custom("prepared layout, bytes for 100 items")
  var configuration = Benchmark.defaultConfiguration
  configuration.metrics = [contents, layout]
  configuration.maxIterations = 1
  Benchmark("memory, \(subject.name) \(count)", configuration: configuration) { benchmark in
    let memory = Memory(subject, count: count)
    benchmark.measurement(contents, memory.contents * 100 / count)
    benchmark.measurement(layout, memory.prepared * 100 / count)
  }
}
