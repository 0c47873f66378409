// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutService
import LayoutTrust

/// Checks that limits are consistent and fit the machine.
struct LimitCheck {
  private let options: ServerOptions

  init(_ options: ServerOptions) { self.options = options }

  /// Limits that are useless if they are above the second one.
  private static let orders: [(String, String)] = [
    ("maxSessionBytes", "maxConnectionBytes"), ("maxConnectionBytes", "maxPeerBytes"),
    ("maxPeerBytes", "maxServerBytes"), ("maxCollectionBytes", "maxServerBytes"),
    ("residentBytes", "maxServerBytes"), ("cacheBytes", "maxServerBytes"),
    ("maxRecordBytes", "maxTotalRecordBytes"),
    ("maxConnectionsPerAddress", "maxConnections"),
    ("maxCallsPerConnection", "maxCallsPerAddress"),
    ("maxImportsPerConnection", "maxImports"),
    ("maxDetachedSessionsPerAddress", "maxDetachedSessions"),
    ("maxUnfinishedBytesPerConnection", "maxUnfinishedBytes"),
    ("maxUnreadBytesPerConnection", "maxUnreadBytes"),
    ("maxMessageBytes", "maxUnfinishedBytesPerConnection"),
    ("maxDefaultLayoutBytes", "maxMessageBytes"), ("slowNoticeMs", "slowTimeoutMs"),
  ]

  var findings: [Finding] {
    let found = Self.orders.compactMap { order($0, $1) } + [memory, files].compactMap { $0 }
    return found.isEmpty ? [.ok("the limits fit each other and this machine")] : found
  }

  private func value(_ key: String) -> Int? {
    ServerOptions.numbers.first { $0.key == key }?.get(options)
  }

  private func order(_ small: String, _ large: String) -> Finding? {
    guard let first = value(small), let second = value(large), first > second else { return nil }
    let (name, bound) = (ServerOptions.flag(of: small), ServerOptions.flag(of: large))
    return .warning("\(name) \(first) is above \(bound) \(second)", "the second one counts first")
  }

  private var memory: Finding? {
    let machine = ProcessInfo.processInfo.physicalMemory
    let limit = options.service.memory.server
    guard UInt64(clamping: limit) > machine / 10 * 9 else { return nil }
    return .warning(
      "--max-server-bytes \(limit): this machine has \(machine) bytes of memory",
      "leave room for the system"
    )
  }

  private var files: Finding? {
    guard let files = ProcessSetup.raiseDescriptorLimit() else { return nil }
    let wanted = options.service.transport.connections
    let allowed = ProcessSetup.connections(of: wanted, files: files)
    guard allowed < wanted else { return nil }
    return .warning(
      "--max-connections \(wanted): the process may open \(files) files, so only \(allowed) will do",
      "raise the limit of open files (ulimit -n, LimitNOFILE)"
    )
  }
}
