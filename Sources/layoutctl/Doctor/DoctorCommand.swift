// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LayoutClient
import LayoutProtocol
import LayoutTrust

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks whether a running server can be used, and says what to do if it cannot.",
    discussion: """
      layoutctl doctor --context production

      Looks at each server of --server: at the connection, the server's certificate, the token and the versions. If the admin port can \
      be reached, it also looks at the store and the clocks of the server behind it. "layout-server --check" looks at a configuration before a \
      server uses it.

      Exit codes: 0 there are no errors; 1 there are.
      """
  )

  @OptionGroup var connection: ConnectionOptions

  @Option(
    help: ArgumentHelp("The address of the admin port.", valueName: "host:port")
  )
  var admin: ServerAddress?

  func run() async throws {
    var settings = try connection.settings
    if let admin { settings.admin = admin }
    let found = await ServerExamination(settings).findings
    for finding in found { try Terminal.writeLine(finding.description.printable) }
    let errors = found.count { $0.level == .error }
    let warnings = found.count { $0.level == .warning }
    try Terminal.writeLine("\(errors.counted("error")), \(warnings.counted("warning"))")
    if errors > 0 { throw ExitCode(1) }
  }
}
