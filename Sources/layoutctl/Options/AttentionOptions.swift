// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutSession

/// The announcements that a viewer requests: items to prefetch, and elements that were seen.
struct AttentionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print which items to get ready before they come into sight, at most this many at once.",
      valueName: "count"
    )
  )
  var prefetch: Int?

  @Option(
    help: ArgumentHelp(
      """
      Print which cells have been seen: this part of their area, for this long, such as 0.5:1s. \
      May be given up to \(VisibilityOptions.maxRules) times.
      """,
      valueName: "part[:time]"
    )
  )
  var seen: [SightArgument] = []

  func validate() throws {
    let most = PrefetchOptions.greatestMaxItems
    if let prefetch, !(1 ... most).contains(prefetch) {
      throw ValidationError("--prefetch must be from 1 to \(most).")
    }
    guard seen.count <= VisibilityOptions.maxRules else {
      throw ValidationError("--seen can be given \(VisibilityOptions.maxRules) times.")
    }
  }

  /// Adds the requests to the options of a session.
  func apply(to options: inout SessionOptions) {
    if let prefetch { options.prefetch.maxItems = prefetch }
    options.visibility.rules = seen.map(\.rule)
  }
}

/// When a cell counts as seen, on the command line.
struct SightArgument: ExpressibleByArgument, Hashable {
  let rule: VisibilityRule

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let part = Double(first), (0 ... 1).contains(part) else {
      return nil
    }
    guard parts.count > 1 else {
      rule = VisibilityRule(threshold: part)
      return
    }
    guard let duration = ScrollScript.duration(String(parts[1])), duration <= .seconds(600) else {
      return nil
    }
    rule = VisibilityRule(threshold: part, duration: duration)
  }
}
