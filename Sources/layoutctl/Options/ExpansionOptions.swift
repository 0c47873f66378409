// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CollectionModel

/// What is expanded in outlines.
struct ExpansionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What is expanded in outlines: what the contents say, nothing (collapsed) or everything (expanded).",
      valueName: "base"
    )
  )
  var expansions = ExpansionBase.contents

  @Option(
    help: ArgumentHelp("Expand the item with this key. May be repeated.", valueName: "key")
  )
  var expand: [String] = []

  @Option(
    help: ArgumentHelp("Collapse the item with this key. May be repeated.", valueName: "key")
  )
  var collapse: [String] = []

  var value: ViewerExpansions {
    ViewerExpansions(base: expansions, expanded: expand, collapsed: collapse)
  }
}

extension ExpansionBase: ExpressibleByArgument {
  /// Reads "contents", "collapsed" or "expanded".
  public init?(argument: String) {
    switch argument {
    case "contents": self = .contents
    case "collapsed": self = .collapsed
    case "expanded": self = .expanded
    default: return nil
    }
  }

  /// The names of all bases.
  public static var allValueStrings: [String] { ["contents", "collapsed", "expanded"] }

  /// The name that `init(argument:)` reads.
  public var defaultValueDescription: String {
    switch self {
    case .contents: "contents"
    case .collapsed: "collapsed"
    case .expanded: "expanded"
    }
  }
}
