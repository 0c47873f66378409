// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutProtocol

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the busiest sessions of a server, again and again.",
    discussion: "layoutctl top --interval 2"
  )

  @OptionGroup var admin: AdminOptions

  @Option(help: "Seconds between tables, 0.1 to 3600.", transform: NumberArgument.parse)
  var interval = 2.0

  @Option(help: "Sessions in the table.")
  var rows = 20

  @Option(help: "Tables to show; without it, until the command is interrupted.")
  var count: Int?

  func validate() throws {
    guard (0.1 ... 3600).contains(interval) else {
      throw ValidationError("--interval: 0.1 to 3600 are allowed")
    }
    guard (1 ... 1000).contains(rows) else {
      throw ValidationError("--rows: 1 to 1000 are allowed")
    }
    guard count.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--count: at least 1 is needed")
    }
  }

  func run() async throws {
    var before: SessionTotals?
    var shown = 0
    while count.map({ shown < $0 }) ?? true {
      let instant = ContinuousClock.now
      let now = SessionTotals(try await admin.client.sessions(), at: instant)
      let screen = now.text(since: before, rows: rows)
      // On a terminal each table replaces the previous one.
      try Terminal.writeLine(Terminal.isOutputInteractive ? "\u{1B}[H\u{1B}[2J\(screen)" : screen)
      before = now
      shown += 1
      if count == shown { return }
      try await Task.sleep(for: .seconds(interval), clock: .continuous)
    }
  }
}

/// The sessions of a server at one moment.
struct SessionTotals {
  private let sessions: [Wire.SessionStatus]
  private let instant: ContinuousClock.Instant

  init(_ sessions: [Wire.SessionStatus], at instant: ContinuousClock.Instant) {
    self.sessions = sessions
    self.instant = instant
  }

  /// A line of totals, and a table of the sessions that have sent most since an earlier moment.
  ///
  /// - Parameter earlier: nil = since their streams were opened.
  func text(since earlier: SessionTotals?, rows: Int) -> String {
    let old = Dictionary(
      earlier?.sessions.map { ($0.name, $0) } ?? []
    ) { first, _ in first }
    let grown = sessions.map { session in
      (session: session, bytes: Self.growth(of: session, since: old[session.name], \.sentBytes))
    }
    let seconds = earlier.map { ($0.instant.duration(to: instant)) / .seconds(1) }
    let frames = sessions.reduce(0) {
      $0.addingClamped(Self.growth(of: $1, since: old[$1.name], \.frames))
    }
    let detached = sessions.count { $0.detached }
    var line = "\((sessions.count - detached).counted("session")), \(detached) detached"
    if let seconds, seconds > 0 {
      let bytes = grown.reduce(0) { $0.addingClamped($1.bytes) }
      line += ", \((Double(frames) / seconds).text(places: 1)) frames/s"
      line += ", \((Double(bytes) / 1024 / seconds).text(places: 1)) KiB/s"
    }
    let busiest = grown.sorted { ($0.bytes, $1.session.name) > ($1.bytes, $0.session.name) }
    let table = SessionTable.table(of: busiest.prefix(rows).map(\.session))
    return "\(line)\n\n\(table.text)"
  }

  /// The counts of a resumed session start at 0 again.
  private static func growth(
    of session: Wire.SessionStatus,
    since old: Wire.SessionStatus?,
    _ count: KeyPath<Wire.SessionStatus, UInt64>
  ) -> Int {
    let (now, before) = (session[keyPath: count], old?[keyPath: count] ?? 0)
    return Int(clamping: now >= before ? now - before : now)
  }
}
