// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import Dispatch
internal import Synchronization

/// Tells other servers which collections have changed, after the commits and on a connection of its
/// own.
///
/// NOTIFY within a commit would lock the whole database until the commit is on the disk, so commits
/// could not share syncs. While a notification is in flight, the next ones are collected.
final class ChangeNotifier: Sendable {
  private struct State {
    var pending: Set<UInt64> = []
    var isAll = false
    var isSending = false
  }

  let connection: PostgresConnection
  /// Marks the notifications of this server.
  let token = String(UInt64.random(in: 1 ... .max), radix: 36)
  private let channel: String
  private let state = Mutex(State())

  init(_ connection: PostgresConnection, channel: String) {
    self.connection = connection
    self.channel = channel
  }

  /// Announces collections soon. If the database cannot be reached it does not: other servers look
  /// for changes every second anyway.
  func add(_ incarnations: some Sequence<UInt64>) {
    let isFirst = state.withLock { state in
      state.pending.formUnion(incarnations)
      defer { state.isSending = true }
      return !state.isSending
    }
    if isFirst { sendNext() }
  }

  /// Announces that any collection may have changed, been created or deleted.
  func addAll() {
    let isFirst = state.withLock { state in
      state.isAll = true
      defer { state.isSending = true }
      return !state.isSending
    }
    if isFirst { sendNext() }
  }

  private func sendNext() {
    let next = state.withLock { state -> Set<UInt64>? in
      defer { (state.pending, state.isAll) = ([], false) }
      if state.isAll { return [] }
      if state.pending.isEmpty { state.isSending = false }
      return state.pending.isEmpty ? nil : state.pending
    }
    guard let next else { return }
    let payload = ChangePayload(token: token, incarnations: next)
    let statement = Statement(
      "SELECT pg_notify($1, $2)",
      [.text(channel), .text(payload.text)]
    )
    connection.submit(Exchange(statement)) { [weak self] _ in self?.sendNext() }
  }
}

/// The text of a notification: who sent it, and the incarnations of the collections that changed;
/// none = any may have.
struct ChangePayload: Hashable {
  var token: String
  var incarnations: Set<UInt64>

  /// A payload has less than 8,000 bytes.
  private static let most = 400

  init(token: String, incarnations: Set<UInt64>) {
    self.token = token
    self.incarnations = incarnations
  }

  init(_ text: String) {
    let words = text.split(separator: " ")
    token = words.first.map(String.init) ?? ""
    incarnations = []
    for word in words.dropFirst() {
      guard let incarnation = UInt64(word, radix: 36) else {
        incarnations = []
        return
      }
      incarnations.insert(incarnation)
    }
  }

  var text: String {
    guard incarnations.count <= Self.most else { return token }
    return ([token] + incarnations.map { String($0, radix: 36) }).joined(separator: " ")
  }
}

/// What is known about the changes of other servers, until somebody takes it.
final class ChangeWake: Sendable {
  private struct State {
    var changed: Set<UInt64> = []
    var isAll = true
    var connection: UInt64 = 0
  }

  let streams = WakeStreams()
  private let state = Mutex(State())

  /// Any collection may have changed.
  func all() {
    state.withLock { $0.isAll = true }
    streams.wake()
  }

  /// Calls `all` every second.
  func `repeat`(unless isOver: Flag) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self, !isOver.isSet else { return }
      all()
      self.repeat(unless: isOver)
    }
  }

  /// There is a new connection.
  func reconnected() {
    state.withLock { state in
      state.isAll = true
      state.connection &+= 1
    }
    streams.wake()
  }

  /// Takes a notification.
  ///
  /// - Parameter ownToken: this server's token; its own notifications are ignored.
  func take(_ payload: String, except ownToken: String?) {
    let payload = ChangePayload(payload)
    if payload.token == ownToken { return }
    state.withLock { state in
      if payload.incarnations.isEmpty { state.isAll = true }
      state.changed.formUnion(payload.incarnations)
    }
    streams.wake()
  }

  /// What changed since the last call; nil = any collection may have.
  func takeChanged() -> Set<UInt64>? {
    state.withLock { state in
      defer { (state.changed, state.isAll) = ([], false) }
      return state.isAll ? nil : state.changed
    }
  }

  /// Counts the connections. Reads on an earlier connection say nothing about what was missed
  /// since.
  var connection: UInt64 { state.withLock { $0.connection } }
}
