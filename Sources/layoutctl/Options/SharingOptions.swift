// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Whether viewers of a collection share the sizes that they measure.
struct SharingOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether viewers with the same renderer share the sizes that they measure. The default for a new collection "
        + "is not to; an existing one stays as it is."
    )
  )
  var shareMeasurements: Bool?
}
