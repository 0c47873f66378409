// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import LayoutProtocol
import UnixSignals

/// Runs all streams of a load test over their connections, and sums up.
struct LoadRun: Sendable {
  var server: ServerAddress
  var subject: LoadSubject
  var mix: LoadMix
  var streams: Int
  var connections: Int
  var ramp: Duration
  var duration: Duration
  var seed: UInt64
  /// Of the streams, 0…1; of more than 0 at least one.
  var verifiedShare: Double
  /// Of all editors together.
  var editsPerSecond: Double
  var speed: Double
  var showsProgress: Bool

  struct Outcome: Sendable {
    var statistics: LoadStatistics
    /// The measured time.
    var seconds: Double
    var isInterrupted: Bool
  }

  /// How long streams may take to end after their scripts have: what is verified then takes up to
  /// a few seconds.
  private static let grace = Duration.seconds(10)

  private enum Part {
    case streamsEnded
    case overdue
    case interrupted
    case progressEnded
  }

  /// - Throws: what ends a whole connection.
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
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
          return .interrupted
        }
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
      // Those that were cancelled end by throwing that.
      while let result = await group.nextResult() { _ = result }
    }
    var statistics = LoadStatistics(start: ramp, end: end)
    for shard in shards { statistics.add(shard.current) }
    // Streams that neither the server nor this tool brought to an end.
    for _ in 0 ..< overdue { statistics.take(.error("NOT_ENDED_IN_TIME"), at: end) }
    return Outcome(
      statistics: statistics,
      seconds: max(0, (endedAt - ramp) / .seconds(1)),
      isInterrupted: ending == .interrupted
    )
  }

  /// What each stream does.
  func plans() -> [LoadStream.Plan] {
    let behaviours = mix.behaviours(count: streams)
    let verified = verifiedShare > 0 ? max(1, Int(Double(streams) * verifiedShare)) : 0
    let editors = behaviours.count { $0 == .editor }
    var random = SplitMix64(seed: seed)
    var plans: [LoadStream.Plan] = []
    for (number, behaviour) in behaviours.enumerated() {
      // Spread over all, and with them over behaviours and connections.
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
          try await LayoutClient.connect(to: server) { client in
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
