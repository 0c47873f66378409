// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LayoutClient

/// The options of commands that use the admin port.
struct AdminOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The context, instead of the current one.", valueName: "name"))
  var context: String?

  @Option(
    help: ArgumentHelp(
      "The address of the server's admin port, which has to be the server's own machine, or a tunnel to "
        + "it; 127.0.0.1:9464 by default.",
      valueName: "host:port"
    )
  )
  var admin: ServerAddress?

  var client: AdminClient {
    get throws {
      var options = ConnectionSettings.Options()
      options.context = context
      options.admin = admin
      let variables = ProcessInfo.processInfo.environment
      return AdminClient(address: try ConnectionSettings(options, variables: variables).admin)
    }
  }
}
