// SPDX-License-Identifier: Apache-2.0

internal import ResourceAccounting
internal import Synchronization

/// The accounts to which a server charges what it keeps:
///
///     server ─┬─ cache
///             ├─ collection …
///             └─ peer ── connection ─┬─ session …
///                                    └─ call …
///
/// Peers and connections are found again by their address for as long as anything is charged to
/// them or anybody keeps their account.
final class ServerAccounts: Sendable {
  private struct Entry {
    weak var account: Account?
  }

  private struct State {
    /// By address, in one namespace: the address of a peer has no port.
    var entries: [String: Entry] = [:]
    /// Entries at which those whose account is gone are next removed.
    var sweepCount = 64
  }

  let server: Account
  let limits: MemoryLimits
  private let state = Mutex(State())

  init(limits: MemoryLimits = .init()) {
    self.limits = limits
    server = Account(scope: .server, limit: limits.server)
  }

  /// The account of the connection from an address, below that of its peer.
  ///
  /// - Parameter address: as gRPC writes it: "ipv4:10.0.0.7:51234".
  func connection(from address: String) -> Account {
    let host = Self.host(of: address)
    let peer = account(at: host) { [server, limits] in
      server.child(.peer, named: host, limit: limits.peer)
    }
    guard host != address else { return peer }
    return account(at: address) { [limits] in
      peer.child(.connection, named: address, limit: limits.connection)
    }
  }

  /// A new account for a session, below that of its connection.
  func session(named name: String, from address: String) -> Account {
    connection(from: address).child(.session, named: name, limit: limits.session)
  }

  /// A new account for a call that is not a session's stream. It has the limit of a session.
  func call(from address: String) -> Account {
    connection(from: address).child(.call, limit: limits.session)
  }

  /// A new account for a collection.
  func collection(named name: String) -> Account {
    server.child(.collection, named: name, limit: limits.collection)
  }

  private func account(at address: String, _ make: () -> Account) -> Account {
    state.withLock { state in
      if let found = state.entries[address]?.account { return found }
      let account = make()
      state.entries[address] = Entry(account: account)
      if state.entries.count >= state.sweepCount {
        state.entries = state.entries.filter { $0.value.account != nil }
        state.sweepCount = max(64, state.entries.count * 2)
      }
      return account
    }
  }

  /// The address without its port: "ipv4:10.0.0.7". Addresses without a host, as those of sockets
  /// in the file system, stay as they are: all their connections count as one.
  private static func host(of address: String) -> String {
    guard address.hasPrefix("ipv4:") || address.hasPrefix("ipv6:"),
      let colon = address.lastIndex(of: ":"), address[..<colon].contains(":")
    else { return address }
    return String(address[..<colon])
  }
}
