// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import LayoutProtocol

/// Runs all streams of a load test over their connections, and adds up their statistics.
struct LoadRun: Sendable {
  /// Servers that share their collections. Each connection goes to the first that answers.
  var servers: [ServerAddress]
  var security = ClientSecurity.none
  /// Its tokens are those of all connections.
  var client: LayoutClient
  var subject: LoadSubject
  var mix: LoadMix
  var streams: Int
  var connections: Int
  var ramp: Duration
  var duration: Duration
  var seed: UInt64
  /// The share of streams to verify, 0…1. If it is above 0, at least one stream is verified.
  var verifiedShare: Double
  /// Batches per second of all editors together.
  var editsPerSecond: Double
  var speed: Double
  var showsProgress: Bool
  /// Has an element once a signal is to end the load test before its time.
  var interruptions: AsyncStream<Void>

  struct Outcome: Sendable {
    var statistics: LoadStatistics
    /// The duration of the measurement.
    var seconds: Double
    var isInterrupted: Bool
  }

  /// How long streams may take to end after their scripts. The final verification takes up to a few
  /// seconds.
  private static let grace = Duration.seconds(10)

  private enum Part {
    case streamsEnded
    case overdue
    case interrupted
    case progressEnded
  }

  /// Runs the load test.
  ///
  /// - Throws: an error that ends a whole connection.
  func run() async throws -> Outcome {
    let clock = LoadClock()
    let end = ramp + duration
    let shards = (0 ..< connections).map { _ in LoadShard(start: ramp, end: end) }
    var ending = Part.streamsEnded
    var endedAt = end
    var overdue = 0
    try await withThrowingTaskGroup(of: Part.self) { group in
      group.addTask {
        try await runStreams(clock: clock, shards: shards)
        return .streamsEnded
      }
      group.addTask {
        try await clock.sleep(until: end + Self.grace)
        return .overdue
      }
      group.addTask {
        for await _ in interruptions { return .interrupted }
        return .progressEnded
      }
      if showsProgress {
        group.addTask {
          await showProgress(clock: clock, shards: shards, end: end)
          return .progressEnded
        }
      }
      while let part = try await group.next() {
        if case .progressEnded = part { continue }
        ending = part
        endedAt = min(end, clock.now)
        if part == .overdue { overdue = shards.reduce(0) { $0 + $1.current.openStreams } }
        group.cancelAll()
        break
      }
      // Cancelled tasks throw `CancellationError`.
      while let result = await group.nextResult() { _ = result }
    }
    var statistics = LoadStatistics(start: ramp, end: end)
    for shard in shards { statistics.add(shard.current) }
    // Streams that did not end in time.
    for _ in 0 ..< overdue { statistics.take(.error("NOT_ENDED_IN_TIME"), at: end) }
    return Outcome(
      statistics: statistics,
      seconds: max(0, (endedAt - ramp) / .seconds(1)),
      isInterrupted: ending == .interrupted
    )
  }

  /// The plan of each stream.
  func plans() -> [LoadStream.Plan] {
    let behaviours = mix.behaviours(count: streams)
    let verified = verifiedShare > 0 ? max(1, Int(Double(streams) * verifiedShare)) : 0
    let editors = behaviours.count { $0 == .editor }
    var random = SplitMix64(seed: seed)
    var plans: [LoadStream.Plan] = []
    for (number, behaviour) in behaviours.enumerated() {
      // Verified streams are spread evenly, and so over all behaviours and connections.
      let isVerified = (number + 1) * verified / streams > number * verified / streams
      plans.append(
        LoadStream.Plan(
          number: number,
          behaviour: behaviour,
          seed: random.next(),
          opensAt: ramp * (Double(number) / Double(streams)),
          endsAt: ramp + duration,
          isVerified: isVerified,
          editsPerSecond: editsPerSecond / Double(max(1, editors)),
          speed: speed
        )
      )
    }
    return plans
  }

  private func runStreams(clock: LoadClock, shards: [LoadShard]) async throws {
    let plans = plans()
    let log = CommitLog()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for connection in 0 ..< connections {
        group.addTask {
          try await client.connectAgain(to: servers, security: security) { client in
            // A stream is opened once, so its connection has to be with a server that is there.
            if servers.count > 1 { try await client.waitForAnswer(within: Self.grace) }
            await withTaskGroup(of: Void.self) { group in
              for number in stride(from: connection, to: streams, by: connections) {
                let stream = LoadStream(
                  plans[number],
                  subject: subject,
                  clock: clock,
                  shard: shards[connection],
                  log: log
                )
                group.addTask { await stream.run(client) }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func showProgress(clock: LoadClock, shards: [LoadShard], end: Duration) async {
    var progress = LoadProgress()
    var next = LoadProgress.interval
    while next <= end {
      do { try await clock.sleep(until: next) } catch { break }
      var statistics = LoadStatistics(start: ramp, end: end)
      var recent = LatencyHistogram()
      for shard in shards {
        recent.add(shard.takeRecent())
        statistics.add(shard.current)
      }
      progress.show(statistics, recent: recent, at: clock.now)
      next += LoadProgress.interval
    }
    progress.clear()
  }
}
