// SPDX-License-Identifier: Apache-2.0

internal import ResourceAccounting
internal import Synchronization

/// The accounts to which the server charges the memory that it keeps:
///
///     server ─┬─ cache
///             ├─ collection …
///             └─ peer ─┬─ connection ─┬─ session …
///                      │              └─ call …
///                      ├─ import …
///                      └─ detached session …
///
/// The account of a peer or connection is found by its address as long as something is charged to
/// it or holds a reference to it.
final class ServerAccounts: Sendable {
  private struct Entry {
    weak var account: Account?
  }

  private struct State {
    /// Accounts of peers and connections by address. A peer's address has no port, so the two
    /// cannot collide.
    var entries: [String: Entry] = [:]
    var sweep = Sweep()
  }

  let server: Account
  let limits: MemoryLimits
  private let state = Mutex(State())

  init(limits: MemoryLimits = .init()) {
    self.limits = limits
    server = Account(scope: .server, limit: limits.server)
  }

  /// The account of a connection, which is a child of its peer's account.
  ///
  /// - Parameter address: the client's address as gRPC writes it: "ipv4:10.0.0.7:51234".
  func connection(from address: String) -> Account {
    let peer = peer(of: address)
    guard peer.name != address else { return peer }
    return account(at: address) { [limits] in
      peer.child(.connection, named: address, limit: limits.connection)
    }
  }

  /// The account of the peer at an address.
  private func peer(of address: String) -> Account {
    let host = PeerHost.host(of: address)
    return account(at: host) { [server, limits] in
      server.child(.peer, named: host, limit: limits.peer)
    }
  }

  /// Creates an account for a session, as a child of its connection's account.
  func session(named name: String, from address: String) -> Account {
    connection(from: address).child(.session, named: name, limit: limits.session)
  }

  /// Creates an account for a detached session, as a child of its peer's account: its connection
  /// may be closed, and the address of that may belong to a new one.
  func detachedSession(named name: String, from address: String) -> Account {
    peer(of: address).child(.session, named: name, limit: limits.session)
  }

  /// Creates an account for a call other than StreamLayout. It has the same limit as a session.
  func call(from address: String) -> Account {
    connection(from: address).child(.call, limit: limits.session)
  }

  /// Creates an account for what an import keeps until it ends: whole contents, which may be larger
  /// than all that a connection may keep otherwise. A child of its peer's account.
  ///
  /// - Parameter limit: in bytes.
  func importing(from address: String, limit: Int) -> Account {
    peer(of: address).child(.importing, limit: limit)
  }

  /// Creates an account for a collection.
  func collection(named name: String) -> Account {
    server.child(.collection, named: name, limit: limits.collection)
  }

  /// Creates an account for the measured sizes that viewers of a collection share, which count the
  /// bytes that they may take themselves.
  func measurements(of name: String) -> Account { server.child(.collection, named: name) }

  private func account(at address: String, _ make: () -> Account) -> Account {
    state.withLock { state in
      if let found = state.entries[address]?.account { return found }
      let account = make()
      state.entries[address] = Entry(account: account)
      state.sweep.sweep(&state.entries) { $0.account != nil }
      return account
    }
  }
}
