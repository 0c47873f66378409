// SPDX-License-Identifier: Apache-2.0

import ServerCommand

/// The server with the built-in layouts.
@main
struct LayoutServerProgram {
  static func main() async { await ServerCommand().run() }
}
