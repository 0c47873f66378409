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
    guard let unlogged = refusals.take() else { return }
    var metadata = metadata(access, collection)
    metadata["needed"] = "\(role.rawValue)"
    if unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
    logger.notice("audit: refused", metadata: metadata)
  }

  func ended(_ access: Access, _ denial: AccessDenial) {
    guard let unlogged = refusals.take() else { return }
    var metadata: Logger.Metadata = [
      "identity": "\(access.identity)", "call": "\(access.method)",
    ]
    switch denial {
    case .unauthenticated(let failure): metadata["reason"] = "\(failure)"
    case .forbidden: metadata["reason"] = "The rights were taken back."
    }
    if unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
    logger.notice("audit: ended", metadata: metadata)
  }

  func failed(method: String, peer: String, _ failure: AuthenticationFailure) {
    guard let unlogged = failures.take() else { return }
    var metadata: Logger.Metadata = [
      "call": "\(method)", "peer": "\(peer)", "reason": "\(failure)",
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

/// Lets 100 lines in 10 seconds into a log, so that refused callers cannot fill the disk.
final class LineLimit: Sendable {
  private static let period = Duration.seconds(10)
  private static let lines = 100

  private struct State {
    var begin = ContinuousClock.now
    var count = 0
    var unlogged = 0
  }

  private let state = Mutex(State())

  /// - Returns: how many lines were left out before this one; nil = this one is left out too.
  func take(at now: ContinuousClock.Instant = .now) -> Int? {
    state.withLock { state in
      if now - state.begin >= Self.period {
        state.begin = now
        state.count = 0
      }
      guard state.count < Self.lines else {
        state.unlogged += 1
        return nil
      }
      state.count += 1
      defer { state.unlogged = 0 }
      return state.unlogged
    }
  }
}
