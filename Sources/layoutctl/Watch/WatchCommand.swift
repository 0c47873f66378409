// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import Foundation
import LayoutClient
import LayoutGeometry
import LayoutSession
import Synchronization

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watches a layout as a renderer does, and prints the changes of each frame.",
    discussion: """
      Opens a stream and scrolls: by --script, --through the whole content, or with the keys of a \
      terminal (arrows or hjkl, page up and down or space, home and end or g and G, q to quit). \
      Otherwise it watches the changes of others until --frames or --duration is reached.

      A line such as

        #12 v3 at 0,1380 of 1024×84200 +14 ~2 -9 =64  ok

      means: frame 12, data version 3, content offset 0,1380, content size 1024×84200; 14 elements \
      were added, 2 changed and 9 removed, and 64 are live. With --verify the elements are compared \
      with the server's answer for the same rect after every frame and every step. The checksum of \
      each frame is always verified. The exit code is 1 if anything was wrong.

      A frame after an animated edit shows how many elements appear, disappear and change; \
      --transitions shows the movement of each. JUMPED marks a frame after which no visible item is \
      where it was, which no edit should cause. If the server goes away, the command waits until it \
      is back.

      --draw shows the elements as blocks, in colours where the terminal has them, as large as the \
      terminal is at the moment.

        layoutctl watch art --draw
        layoutctl watch art --through --verify --quiet
        layoutctl watch chat --layout list --at end --stay end --align end
        layoutctl watch art --prefetch 40 --seen 0.5:1s --through
        layoutctl watch feed --measure 17 --renderer 'feed 1.0 17pt' --through --verify
        layoutctl watch art --script 'scroll 0 500; fling 3000 2s; resize 800x600; wait 1s'
      """
  )

  @OptionGroup var subject: SubjectOptions

  @Option(help: ArgumentHelp(StartArgument.help, valueName: "place"))
  var at: StartArgument?

  @Option(
    help: ArgumentHelp(
      "Stay at this edge of the content while it changes, if the viewport rests there.",
      valueName: "edge"
    )
  )
  var stay: ContentEdge?

  @Option(
    help: ArgumentHelp(
      "Where content is that is shorter than the viewport.",
      valueName: "place"
    )
  )
  var align: ContentAlignment?

  @Option(
    help: ArgumentHelp(
      "Steps separated by semicolons, or @FILE with such steps: \(ScrollScript.help)",
      valueName: "steps"
    )
  )
  var script: String?

  @Flag(help: "Scroll through the whole content, 0.9 viewports at a time.")
  var through = false

  @Flag(help: "Compare the elements with the server's answers after every frame.")
  var verify = false

  @Flag(help: "Draw the elements on the whole terminal.")
  var draw = false

  @Flag(name: .shortAndLong, help: "Print only the summary.")
  var quiet = false

  @Flag(help: "Print the movement of each element in an animation.")
  var transitions = false

  @Option(
    help: ArgumentHelp(
      "What measures the elements, such as 'app 3.1 Inter 17pt': the sizes are shown that viewers with the same "
        + "renderer share, where the collection shares them.",
      valueName: "name"
    )
  )
  var renderer: String?

  @Option(
    help: ArgumentHelp(
      "Measure the cells as a renderer does that shows their data, or else their key, as text of this size in points, "
        + "and report their sizes.",
      valueName: "size"
    ),
    transform: NumberArgument.parse
  )
  var measure: Double?

  @OptionGroup var attention: AttentionOptions

  @Option(help: "The encoding of elements: packed or messages.")
  var encoding = ElementTransport.packed

  @Option(
    help: ArgumentHelp(
      "Watch until this many frames have arrived; goes with neither --duration nor --script nor --through.",
      valueName: "count"
    )
  )
  var frames: Int?

  @Option(
    help: ArgumentHelp(
      "Watch for this long, such as 10s, the time included in which the session is opened.",
      valueName: "time"
    )
  )
  var duration: String?

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard script == nil || !through else {
      throw ValidationError("Give --script or --through, not both.")
    }
    guard duration == nil || (script == nil && !through) else {
      throw ValidationError(
        "Give --duration, --script or --through: scripts have the step \"wait TIME\"."
      )
    }
    guard frames == nil || (duration == nil && script == nil && !through) else {
      throw ValidationError(
        "--frames goes with neither --duration nor --script nor --through: each says when to end."
      )
    }
    guard at == nil || subject.offset == .zero else {
      throw ValidationError("Give --at or --offset, not both.")
    }
    guard !draw || (Terminal.isOutputInteractive && Terminal.isInputInteractive) else {
      throw ValidationError("--draw needs a terminal.")
    }
    if let measure, !TextMeasurer.textSizes.contains(measure) {
      let sizes = TextMeasurer.textSizes
      throw ValidationError(
        "--measure must be from \(sizes.lowerBound.text()) to \(sizes.upperBound.text()) points."
      )
    }
    if let frames, frames < 1 { throw ValidationError("--frames must be above 0.") }
    if let duration, ScrollScript.duration(duration) == nil {
      throw ValidationError("--duration must be like 10s or 500ms, up to an hour.")
    }
  }

  private func steps() throws -> ScrollScript? {
    if through { return ScrollScript([.through(0.9)]) }
    if let script {
      guard script.hasPrefix("@") else { return try ScrollScript(parsing: script) }
      return try ScrollScript(parsing: TextFile.readText(String(script.dropFirst())))
    }
    return nil
  }

  /// The settings of the session.
  func viewerConfiguration() throws -> ViewerConfiguration {
    var viewing = try subject.viewerConfiguration()
    viewing.capabilities = ClientCapabilities(
      encoding: encoding == .packed ? .packed : .messages,
      animations: true,
      checksums: true,
      itemKeys: true,
      itemData: verify || measure != nil
    )
    viewing.options.sizeChangeAnchor = stay
    viewing.options.alignment = align
    viewing.renderer = renderer
    attention.apply(to: &viewing.options)
    if let at {
      viewing.start = at.start
      viewing.viewport.offset = nil
    }
    return viewing
  }

  func run() async throws {
    let viewing = try viewerConfiguration()
    let options = WatchRun.Options(
      viewport: subject.viewport,
      encoding: encoding,
      verifies: verify,
      measurer: measure.map { TextMeasurer(textSize: $0) },
      printsFrames: !quiet,
      printsTransitions: transitions,
      screen: draw
        ? TerminalScreen(colors: TerminalColors(ProcessInfo.processInfo.environment)) : nil
    )
    let steps = try steps()
    let limit = duration.flatMap(ScrollScript.duration)
    let usesKeys =
      draw || (steps == nil && frames == nil && limit == nil && Terminal.isInputInteractive)
    let start = ContinuousClock.now
    let end = limit.map { start + $0 }
    let begun = BegunRun()
    let isLate = try await Self.isLate(by: end, begun) { [connection, frames] in
      try await connection.connect { client in
        try await client.view(viewing) { viewer in
          let run = WatchRun(viewer, client: client, options: options)
          begun.run.withLock { $0 = run }
          let watch: @Sendable () async throws -> Void = {
            try await run.start()
            begun.isSettled.withLock { $0 = true }
            if let steps { try await run.play(steps) }
            if let end { try await run.wait(until: end) }
            if steps == nil, end == nil { try await run.follow(frames: frames) }
          }
          if !usesKeys {
            try await watch()
          } else if options.screen != nil {
            try await Terminal.withWholeScreen { try await Self.obeyKeys(run, while: watch) }
          } else {
            try Terminal.writeLine(TerminalScreen.hints)
            try await Self.obeyKeys(run, while: watch)
          }
        }
      }
    }
    guard let run = begun.run.withLock({ $0 }) else {
      throw CommandFault(
        "The server showed nothing within \(((limit ?? .zero) / .seconds(1)).text()) s.",
        status: .unavailable
      )
    }
    var summary = await run.summary
    if isLate { summary.isServerAway = true }
    let seconds = start.duration(to: .now) / .seconds(1)
    try Terminal.writeLine(summary.text(seconds: seconds))
    if summary.mismatches > 0 {
      throw CommandFault("\(summary.mismatches.grouped) states were wrong")
    }
    if summary.isServerAway {
      throw CommandFault("The server did not answer at the end.", status: .unavailable)
    }
  }

  /// How far a watch has come.
  private final class BegunRun: Sendable {
    /// The run, once the session is open and there is something to show.
    let run = Mutex<WatchRun?>(nil)
    /// Whether all of the beginning has been shown, so that only the changes of others are waited
    /// for.
    let isSettled = Mutex(false)
  }

  /// Runs `body` until it ends, or until it is late.
  ///
  /// - Parameters:
  ///   - end: when the watch has to be over, but for what the server answers in the end; nil =
  ///     never.
  ///   - begun: if the beginning has not been shown by `end`, nothing is waited for after it.
  /// - Returns: whether `body` was late, and cancelled.
  private static func isLate(
    by end: ContinuousClock.Instant?,
    _ begun: BegunRun,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    guard let end else {
      try await body()
      return false
    }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await body()
        return false
      }
      group.addTask {
        try await Task.sleep(until: end)
        if begun.isSettled.withLock({ $0 }) {
          // More than the last wait takes, which says more exactly what is missing.
          try await Task.sleep(until: end + WatchRun.lastPatience * 1.5)
        }
        return true
      }
      let isLate = try await group.next() ?? false
      group.cancelAll()
      // The other task only says that it was cancelled.
      while (try? await group.next()) != nil {}
      return isLate
    }
  }

  /// Runs `body` until it ends or the user quits; meanwhile keys scroll.
  private static func obeyKeys(
    _ run: WatchRun,
    while body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await Terminal.withRawInput {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
          while true {
            let keys = ScrollKey.decode(Terminal.readTyped())
            for key in keys where key != .quit { try await run.press(key) }
            if keys.contains(.quit) { return }
            try await run.draw()
            try await Task.sleep(for: .milliseconds(25))
          }
        }
        // The first task that ends cancels the other.
        try await group.next()
        group.cancelAll()
      }
    }
  }
}

extension ElementTransport: ExpressibleByArgument {}
