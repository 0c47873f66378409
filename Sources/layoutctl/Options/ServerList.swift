// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import LayoutClient

/// The addresses of servers that share their collections, as "HOST:PORT,HOST:PORT".
struct ServerList: Hashable, Sendable, CustomStringConvertible, ExpressibleByArgument {
  /// In the order of the attempts; at least one.
  var addresses: [ServerAddress]

  static let standard = ServerList(addresses: [.standard])

  init(addresses: [ServerAddress]) { self.addresses = addresses }

  /// - Returns: nil if a part of the text is no address.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let addresses = parts.compactMap { ServerAddress(String($0)) }
    guard addresses.count == parts.count else { return nil }
    self.init(addresses: addresses)
  }

  init?(argument: String) { self.init(argument) }

  var description: String { addresses.map(\.description).joined(separator: ",") }
}
