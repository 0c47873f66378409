// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutGeometry
import LayoutProtocol

struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Puts a server under the load of many viewers and measures its latencies.",
    discussion: """
      Opens many streams over several connections. Each stream sends its events at scheduled times, \
      independent of the server's answers. A latency is measured from the scheduled time, so that a \
      server that stalls is charged for every event during the stall. Every frame is applied to a \
      mirror of the elements, and its checksum is verified.

      Behaviours of streams, for --mix:
      \(LoadBehaviour.allCases.map { "  \($0.rawValue): \($0.help)" }.joined(separator: "\n"))

      Latencies are from event to frame. A scroll to elements that the viewer already has needs no \
      frame; of several such scrolls only the newest before a frame is counted ("seen already"). Every \
      other event is counted.

        layoutctl load
        layoutctl load --streams 512 --connections 8 --duration 30s --ramp 5s
        layoutctl load --streams 1000 --mix idler=999,editor=1 --edits 10
        layoutctl load --max-p99 20ms --max-errors 0 --min-rate 1000 --json report.json

      A temporary collection is created for the test and deleted after it, unless --collection names an \
      existing one. The changes of editors to an existing collection are permanent. The same --seed \
      gives the same load.

      Exit codes: 0 success; 1 a threshold was missed, elements were wrong, no stream was opened or all \
      broke; 64 wrong usage; 69 the server could not be reached.
      """
  )

  @Option(help: ArgumentHelp("The number of viewers, 1 to 20,000.", valueName: "count"))
  var streams = 64

  @Option(
    help: ArgumentHelp(
      "The number of connections; by default one for every 32 streams. A server limits the open "
        + "streams of a connection, and further streams wait.",
      valueName: "count"
    )
  )
  var connections: Int?

  @Option(
    help: ArgumentHelp("The duration of the measurement, up to 1h.", valueName: "time"),
    transform: DurationArgument.parse
  )
  var duration = Duration.seconds(10)

  @Option(
    help: ArgumentHelp(
      "The period over which streams are opened before the measurement.",
      valueName: "time"
    ),
    transform: DurationArgument.parse
  )
  var ramp = Duration.seconds(1)

  @Option(
    help: ArgumentHelp(
      "The shares of behaviours: NAME=WEIGHT,… (default: \(LoadMix.standard.text))",
      valueName: "mix"
    ),
    transform: { try LoadMix(parsing: $0) }
  )
  var mix = LoadMix.standard

  @Option(
    help: ArgumentHelp(
      "Batches per second of all editors together, 0.001 to 1000; each batch causes a frame in "
        + "every stream.",
      valueName: "count"
    ),
    transform: NumberArgument.parse
  )
  var edits = 10.0

  @Option(
    help: ArgumentHelp(
      "Runs the scripts faster by this factor, 0.001 to 100.",
      valueName: "factor"
    ),
    transform: NumberArgument.parse
  )
  var speed = 1.0

  @Option(
    help: ArgumentHelp(
      "The share of streams whose elements are compared with the answers to QueryElements every 2 s "
        + "and at the end, 0% to 100%.",
      valueName: "percent"
    ),
    transform: PercentArgument.parse
  )
  var verify = 0.01

  @Option(
    help: ArgumentHelp("Use this collection instead of a temporary one.", valueName: "collection"),
    completion: .collections
  )
  var collection: String?

  @Option(
    help: ArgumentHelp("Items of the temporary collection, up to 10,000,000.", valueName: "count")
  )
  var items = 100_000

  @Option(
    help: ArgumentHelp("Sections of the temporary collection, up to 10,000.", valueName: "count")
  )
  var sections = 10

  @Option(
    help: ArgumentHelp(
      "\(LayoutArgument.help) The default is flow, or the default layout of --collection.",
      valueName: "layout"
    )
  )
  var layout: LayoutArgument?

  @Option(help: ArgumentHelp("The size of each viewport in points.", valueName: "width x height"))
  var viewport = Size(width: 1024, height: 768)

  @Option(help: "The encoding of elements: packed or messages.")
  var encoding = ElementTransport.packed

  @Option(help: ArgumentHelp("The seed of random choices.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Also write the results as JSON to this file; \"-\" = standard output.",
      valueName: "file"
    )
  )
  var json: String?

  @Option(
    help: ArgumentHelp("Fail if the p99 latency from event to frame is higher.", valueName: "time"),
    transform: DurationArgument.parse
  )
  var maxP99: Duration?

  @Option(help: ArgumentHelp("Fail if there are more errors.", valueName: "count"))
  var maxErrors: Int?

  @Option(
    help: ArgumentHelp("Fail if fewer frames arrive per second.", valueName: "frames"),
    transform: NumberArgument.parse
  )
  var minRate: Double?

  @Flag(name: .shortAndLong, help: "Do not print progress.")
  var quiet = false

  @OptionGroup var connection: ConnectionOptions

  private var connectionCount: Int { connections ?? max(1, (streams + 31) / 32) }

  func validate() throws {
    func check(_ name: String, _ isRight: Bool, _ allowed: String) throws {
      if !isRight { throw ValidationError("--\(name) must be \(allowed).") }
    }
    try check("streams", (1 ... 20_000).contains(streams), "1 to 20,000")
    try check(
      "connections",
      (1 ... streams).contains(connectionCount),
      "1 to the number of streams"
    )
    try check("duration", duration > .zero, "above 0")
    // The waits between steps that are slower would be longer than a `Duration` can be.
    try check("edits", (0.001 ... 1000).contains(edits), "from 0.001 to 1000")
    try check("speed", (0.001 ... 100).contains(speed), "from 0.001 to 100")
    try check("items", (1 ... 10_000_000).contains(items), "1 to 10,000,000")
    try check(
      "sections",
      (1 ... min(items, 10_000)).contains(sections),
      "1 to 10,000, and at most --items"
    )
    try check("viewport", viewport.width >= 1 && viewport.height >= 1, "1x1 or larger")
    try check("max-errors", (maxErrors ?? 0) >= 0, "0 or more")
    try check("min-rate", (minRate ?? 0) >= 0, "0 or more")
  }

  func run() async throws {
    let spec = try layout?.spec() ?? (collection == nil ? LayoutArgument("flow").spec() : nil)
    let settings = try connection.settings
    let (report, misses) = try await connection.connect { client in
      // Whenever the first signal comes, the temporary collection is removed.
      let (interruptions, received) = AsyncStream.makeStream(of: Void.self)
      return try await Interruption.shared.answering(with: { received.yield() }) {
        try await load(client, settings, spec, until: interruptions)
      }
    }
    if json != "-" { try Terminal.writeLine(report.text) }
    if let json { try TextFile.write(report.json(misses: misses), to: json) }
    if !misses.isEmpty { throw CommandFault("missed: " + misses.joined(separator: "; ")) }
  }

  /// Makes the load, and removes the collection that was created for it.
  private func load(
    _ client: LayoutClient,
    _ settings: ConnectionSettings,
    _ spec: Wire.LayoutSpec?,
    until interruptions: AsyncStream<Void>
  ) async throws -> (LoadReport, misses: [String]) {
    let collection =
      if let collection {
        try await LoadCollection.existing(collection, client: client)
      } else {
        try await LoadCollection.temporary(
          items: items,
          sections: sections,
          seed: seed,
          client: client
        )
      }
    let run = LoadRun(
      servers: settings.servers.addresses,
      security: settings.security,
      client: client,
      subject: LoadSubject(
        collection: collection.name,
        layout: spec,
        viewport: viewport,
        encoding: encoding,
        itemsPerSection: collection.itemsPerSection
      ),
      mix: mix,
      streams: streams,
      connections: connectionCount,
      ramp: ramp,
      duration: duration,
      seed: seed,
      verifiedShare: verify,
      editsPerSecond: edits,
      speed: speed,
      showsProgress: !quiet,
      interruptions: interruptions
    )
    let result: Result<LoadRun.Outcome, any Error>
    do { result = .success(try await run.run()) } catch { result = .failure(error) }
    if collection.isTemporary {
      do { try await LoadCollection.remove(collection.name, client: client) } catch {
        Terminal.writeError("layoutctl: \(collection.name) was not removed: \(error)\n")
      }
    }
    let outcome = try result.get()
    let report = LoadReport(
      setting: LoadReport.Setting(
        server: settings.servers.description,
        collection: collection.name,
        isTemporary: collection.isTemporary,
        items: collection.itemCount,
        mix: mix.text,
        streams: streams,
        connections: connectionCount,
        seed: seed
      ),
      seconds: outcome.seconds,
      isInterrupted: outcome.isInterrupted,
      statistics: outcome.statistics
    )
    let thresholds = LoadThresholds(maxP99: maxP99, maxErrors: maxErrors, minRate: minRate)
    return (report, thresholds.misses(of: report))
  }
}

enum DurationArgument {
  /// Parses "20ms", "5s", "1m" or "1h", up to an hour.
  static func parse(_ text: String) throws(CommandFault) -> Duration {
    let units: [(suffix: String, seconds: Double)] = [
      ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600),
    ]
    if let unit = units.first(where: { text.hasSuffix($0.suffix) }),
      let number = Double(text.dropLast(unit.suffix.count)), number >= 0,
      number * unit.seconds <= 3600
    {
      return .seconds(number * unit.seconds)
    }
    throw CommandFault("a time such as 20ms, 5s, 1m or 1h is allowed", status: .usage)
  }
}

enum NumberArgument {
  /// Parses a finite number. Infinity and NaN pass comparisons that they should fail.
  static func parse(_ text: String) throws(CommandFault) -> Double {
    guard let number = Double(text), number.isFinite else {
      throw CommandFault("a finite number is needed", status: .usage)
    }
    return number
  }
}

enum PercentArgument {
  /// Parses a percentage from 0 to 100, "1%" or "1".
  ///
  /// - Returns: 0…1.
  static func parse(_ text: String) throws(CommandFault) -> Double {
    let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
    guard let percent = Double(digits), percent >= 0, percent <= 100 else {
      throw CommandFault("0% to 100% is allowed", status: .usage)
    }
    return percent / 100
  }
}
