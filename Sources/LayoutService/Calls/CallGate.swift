// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import Synchronization

/// Admits calls other than StreamLayout, whose sessions are counted separately: limits how many are
/// open at a time, and how much work each connection and each host may request per second.
final class CallGate: Sendable {
  enum Kind: Sendable {
    case call
    case importing
  }

  /// The open calls and the budget of one connection or one host.
  private struct Party {
    var calls = 0
    var imports = 0
    var budget: WorkBudget
  }

  private struct State {
    var connections: [String: Party] = [:]
    var hosts: [String: Party] = [:]
    var imports = 0
    var importBytes = 0
    /// Of connections; then idle hosts are forgotten too.
    var sweep = Sweep()
  }

  private let limits: CallLimits
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(
    _ limits: CallLimits,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.limits = limits
    self.now = now
  }

  /// Admits a call.
  ///
  /// - Parameter peer: the client's address with its port.
  /// - Returns: a ticket that holds the call's place while it exists.
  /// - Throws: QUOTA_CALLS or QUOTA_IMPORTS.
  func enter(_ kind: Kind, peer: String) throws(LayoutProblem) -> CallTicket {
    let host = PeerHost.host(of: peer)
    let time = now()
    let refusal: LayoutProblem? = state.withLock { state in
      sweep(&state, now: time)
      var connection = state.connections[peer] ?? party(factor: 1, now: time)
      var machine = state.hosts[host] ?? party(factor: limits.workFactorPerHost, now: time)
      if connection.calls >= limits.perConnection {
        return Self.refusal(.calls, limits.perConnection)
      }
      if machine.calls >= limits.perHost { return Self.refusal(.calls, limits.perHost) }
      if kind == .importing {
        if connection.imports >= limits.importsPerConnection {
          return Self.refusal(.imports, limits.importsPerConnection)
        }
        if state.imports >= limits.imports { return Self.refusal(.imports, limits.imports) }
        connection.imports += 1
        machine.imports += 1
        state.imports += 1
      }
      connection.calls += 1
      machine.calls += 1
      state.connections[peer] = connection
      state.hosts[host] = machine
      return nil
    }
    if let refusal { throw refusal }
    return CallTicket(self, kind: kind, connection: peer, host: host)
  }

  /// How long a party's next work has to wait; nil = it may begin.
  func wait(connection: String, host: String) -> Duration? {
    let time = now()
    return state.withLock { state in
      let waits = [
        state.connections[connection]?.budget.wait(now: time),
        state.hosts[host]?.budget.wait(now: time),
      ]
      return waits.compactMap { $0 ?? nil }.max()
    }
  }

  func charge(_ cost: Double, connection: String, host: String) {
    let time = now()
    state.withLock { state in
      state.connections[connection]?.budget.charge(cost, now: time)
      state.hosts[host]?.budget.charge(cost, now: time)
    }
  }

  /// Counts the bytes that an import keeps in memory.
  ///
  /// - Throws: QUOTA_MEMORY if all imports together would keep too much.
  func keep(_ bytes: Int) throws(LayoutProblem) {
    let isKept = state.withLock { state in
      guard bytes <= limits.importBytes - state.importBytes else { return false }
      state.importBytes += bytes
      return true
    }
    guard isKept else {
      var problem = LayoutProblem.quotaExceeded(
        .memory,
        limit: UInt64(clamping: limits.importBytes),
        retryDelay: .seconds(1)
      )
      problem.message =
        "\(bytes) bytes more are needed; imports under way keep almost all of the "
        + "\(limits.importBytes) bytes that are allowed for them (maxImportBytes)."
      problem.metadata["limitName"] = "maxImportBytes"
      throw problem
    }
  }

  fileprivate func leave(_ ticket: CallTicket, keeping bytes: Int) {
    let isImport = ticket.kind == .importing
    state.withLock { state in
      state.connections[ticket.connection]?.calls -= 1
      state.hosts[ticket.host]?.calls -= 1
      state.importBytes -= bytes
      guard isImport else { return }
      state.connections[ticket.connection]?.imports -= 1
      state.hosts[ticket.host]?.imports -= 1
      state.imports -= 1
    }
  }

  /// The parties remembered: those with open calls, and those whose budget is not full.
  var partyCount: Int { state.withLock { $0.connections.count + $0.hosts.count } }
  var importByteCount: Int { state.withLock { $0.importBytes } }

  private func party(factor: Int, now: ContinuousClock.Instant) -> Party {
    Party(
      budget: WorkBudget(
        perSecond: limits.workPerSecond.multipliedClamping(by: factor),
        burst: limits.workBurst.multipliedClamping(by: factor),
        now: now
      )
    )
  }

  /// Forgets idle parties with full budgets. Amortised O(1) per call.
  private func sweep(_ state: inout State, now: ContinuousClock.Instant) {
    func isInUse(_ party: Party) -> Bool {
      var budget = party.budget
      return party.calls > 0 || !budget.isFull(now: now)
    }
    guard state.sweep.sweep(&state.connections, keeping: isInUse) else { return }
    state.hosts = state.hosts.filter { isInUse($0.value) }
  }

  private static func refusal(_ quota: LayoutProblem.Quota, _ limit: Int) -> LayoutProblem {
    .quotaExceeded(quota, limit: UInt64(clamping: limit), retryDelay: .milliseconds(100))
  }
}

/// A call's place among those of its connection and host, given back by `giveBack()` or with the
/// last reference.
final class CallTicket: Sendable {
  let kind: CallGate.Kind
  let connection: String
  let host: String
  private let gate: CallGate
  /// The bytes that the call keeps; nil = the place was given back.
  private let bytes = Mutex<Int?>(0)

  fileprivate init(_ gate: CallGate, kind: CallGate.Kind, connection: String, host: String) {
    self.gate = gate
    self.kind = kind
    self.connection = connection
    self.host = host
  }

  deinit { giveBack() }

  /// Gives back the place and the bytes kept. Repeated calls have no effect.
  func giveBack() {
    if let bytes = bytes.withLock({ $0.take() }) { gate.leave(self, keeping: bytes) }
  }

  /// How long the call has to wait before it may work; nil = it need not.
  var wait: Duration? { gate.wait(connection: connection, host: host) }

  /// Charges work to the connection and the host.
  func charge(_ cost: Double) { gate.charge(cost, connection: connection, host: host) }

  /// Counts bytes that the call keeps until it gives its place back; has no effect after that.
  ///
  /// - Throws: QUOTA_MEMORY.
  func keep(_ more: Int) throws(LayoutProblem) {
    guard bytes.withLock({ $0 != nil }) else { return }
    try gate.keep(more)
    bytes.withLock { $0 = $0.map { $0 + more } }
  }
}

extension Int {
  fileprivate func multipliedClamping(by factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
