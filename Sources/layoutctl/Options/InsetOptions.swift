// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutGeometry

/// The insets of the viewport, in points, each as "top,leading,bottom,trailing".
struct InsetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What bars and the like cover of the viewport: top, leading, bottom and trailing inset.",
      valueName: "t,l,b,t"
    )
  )
  var contentInsets: EdgeInsets?

  @Option(
    help: ArgumentHelp(
      "From the viewport's edges to its safe area, for layouts that measure insets from it.",
      valueName: "t,l,b,t"
    )
  )
  var safeArea: EdgeInsets?

  @Option(
    help: ArgumentHelp("From the viewport's edges to its layout margins.", valueName: "t,l,b,t")
  )
  var layoutMargins: EdgeInsets?

  @Option(
    help: ArgumentHelp("The greatest width of readable content in points.", valueName: "points"),
    transform: NumberArgument.parse
  )
  var readableWidth: Double?
}
