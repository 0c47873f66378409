// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Synchronization

/// Who did what, as structured log lines. Neither tokens nor keys of items are ever in them.
struct AuditLog: Sendable {
  private let logger: Logger
  /// For callers whose identity is known.
  private let refusals = LineLimit()
  /// For everybody else, so that callers without an identity cannot keep the others out of the log.
  private let failures = LineLimit()

  init(logger: Logger) { self.logger = logger }

  func done(_ access: Access, _ level: Logger.Level, collection: String, version: UInt64?) {
    guard logger.logLevel <= level else { return }
    var metadata = metadata(access, collection)
    if let version { metadata["version"] = "\(version)" }
    logger.log(level: level, "audit", metadata: metadata)
  }

  func refused(_ access: Access, _ role: Role, collection: String) {
    guard let unlogged = refusals.take(for: access.owner) else { return }
    var metadata = metadata(access, collection)
    metadata["needed"] = "\(role.rawValue)"
    if unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
    logger.notice("audit: refused", metadata: metadata)
  }

  func ended(_ access: Access, _ denial: AccessDenial) {
    let reason =
      switch denial {
      case .unauthenticated(let failure): failure.reason
      case .forbidden: "The rights were taken back."
      }
    refused(access, "audit: ended", reason: reason)
  }

  /// New credentials on an open stream prove nothing.
  func notRenewed(_ access: Access, _ failure: AuthenticationFailure) {
    refused(access, "audit: not authenticated", reason: failure.reason)
  }

  private func refused(_ access: Access, _ message: Logger.Message, reason: String) {
    guard let unlogged = refusals.take(for: access.owner) else { return }
    var metadata: Logger.Metadata = [
      "identity": "\(access.identity)", "call": "\(access.method)", "reason": "\(reason)",
    ]
    if unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
    logger.notice(message, metadata: metadata)
  }

  func failed(method: String, peer: String, address: String, _ failure: AuthenticationFailure) {
    guard let unlogged = failures.take(for: address) else { return }
    var metadata: Logger.Metadata = [
      "call": "\(method)", "peer": "\(peer)", "reason": "\(failure.reason)",
    ]
    if unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
    logger.notice("audit: not authenticated", metadata: metadata)
  }

  private func metadata(_ access: Access, _ collection: String) -> Logger.Metadata {
    [
      "identity": "\(access.identity)", "call": "\(access.method)",
      "collection": "\(LogText.clean(collection))",
    ]
  }
}

/// Lets 100 lines in 10 seconds into a log, so that refused callers cannot fill the disk, and 20 of
/// one caller, so that one does not hide the others.
final class LineLimit: Sendable {
  private static let period = Duration.seconds(10)
  private static let lines = 100
  private static let linesOfCaller = 20

  private struct State {
    var begin = ContinuousClock.now
    var count = 0
    /// By caller. Only callers with a line in this period are here.
    var counts: [String: Int] = [:]
    var unlogged = 0
  }

  private let state = Mutex(State())

  /// - Returns: how many lines were left out before this one; nil = this one is left out too.
  func take(for caller: String, at now: ContinuousClock.Instant = .now) -> Int? {
    state.withLock { state in
      if now - state.begin >= Self.period {
        state.begin = now
        state.count = 0
        state.counts.removeAll(keepingCapacity: true)
      }
      let own = state.counts[caller, default: 0]
      guard state.count < Self.lines, own < Self.linesOfCaller else {
        state.unlogged += 1
        return nil
      }
      state.count += 1
      state.counts[caller] = own + 1
      defer { state.unlogged = 0 }
      return state.unlogged
    }
  }
}
