// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import LayoutService

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A layout server that knows one layout more: `calendar-server [PORT]`.
@main
struct CalendarServer {
  static func main() async throws {
    guard let port = port(CommandLine.arguments.dropFirst()) else {
      print("usage: calendar-server [PORT]")
      return
    }
    var layouts = LayoutRegistry()
    layouts.register(CalendarWeekLayout.self)
    let server = LayoutServer(port: port, layouts: layouts)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      print("calendar-server listening on \(try await server.listeningAddress)")
      fflush(nil)
      try await group.waitForAll()
    }
  }

  /// nil where the arguments are not understood.
  private static func port(_ arguments: ArraySlice<String>) -> Int? {
    guard let argument = arguments.first else { return 50051 }
    guard arguments.count == 1, let port = UInt16(argument) else { return nil }
    return Int(port)
  }
}
