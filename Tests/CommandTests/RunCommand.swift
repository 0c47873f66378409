// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@testable import layoutctl

/// Runs `layoutctl` with these arguments, in this process.
func runCommand(_ arguments: [String]) async throws {
  var command = try LayoutCtl.parseAsRoot(arguments)
  if var asynchronous = command as? any AsyncParsableCommand {
    try await asynchronous.run()
  } else {
    try command.run()
  }
}
