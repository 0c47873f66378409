// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

struct UICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ui",
    abstract: "Opens the inspector of a server in a browser.",
    discussion: """
      layoutctl ui --admin 127.0.0.1:9464

      The inspector is a page of the server's admin port: it shows collections and samples in any layout, \
      live. The command also prints the page's address.
      """
  )

  @OptionGroup var admin: AdminOptions

  @Flag(name: .customLong("print"), help: "Prints the address and opens nothing.")
  var isPrinted = false

  func run() async throws {
    let client = try admin.client
    guard try await client.text("/inspector/").status == 200 else {
      throw CommandFault("the server at \(client.address) has no inspector: it is older")
    }
    let address = "http://\(client.address)/inspector/"
    try Terminal.writeLine(address)
    if !isPrinted { Self.open(address) }
  }

  /// Starts the browser that the desktop prefers, if there is one.
  private static func open(_ address: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    #if os(macOS)
    process.arguments = ["open", address]
    #else
    process.arguments = ["xdg-open", address]
    #endif
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // The address is printed in any case.
    try? process.run()
  }
}
