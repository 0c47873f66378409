// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts

/// What the viewer states for the conditions of responsive layouts.
struct TraitOptions: ParsableArguments {
  @Option(
    name: .customLong("trait"),
    help: ArgumentHelp(
      "A name that conditions of a responsive layout may ask for; can be repeated.",
      valueName: "name"
    )
  )
  var names: [String] = []

  @Option(help: ArgumentHelp("The room from side to side: compact or regular.", valueName: "class"))
  var horizontalSizeClass: SizeClassArgument?

  @Option(
    help: ArgumentHelp("The room from top to bottom: compact or regular.", valueName: "class")
  )
  var verticalSizeClass: SizeClassArgument?

  var value: LayoutTraits {
    LayoutTraits(
      names: Set(names),
      horizontalSizeClass: horizontalSizeClass?.value,
      verticalSizeClass: verticalSizeClass?.value
    )
  }
}

/// A size class on the command line.
enum SizeClassArgument: String, ExpressibleByArgument, CaseIterable {
  case compact, regular

  var value: SizeClass {
    switch self {
    case .compact: .compact
    case .regular: .regular
    }
  }
}
