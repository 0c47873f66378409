// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient

/// The options of commands that ask the admin port.
struct AdminOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The address of the server's admin port, which has to be the server's own machine.",
      valueName: "host:port"
    )
  )
  var admin = ServerAddress(host: "127.0.0.1", port: 9464)

  var client: AdminClient { AdminClient(address: admin) }
}
