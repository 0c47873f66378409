// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import NIOCore
internal import Synchronization

/// Counts and logs the actions of the guards. The rate of log lines is limited for each of them, so
/// that a frequent one, such as a health check without the right TLS, does not hide the others.
final class TransportLog: Sendable {
  enum Event: String, CaseIterable, Sendable {
    /// A connection was refused.
    case refusedConnection = "refused a connection"
    /// A connection was closed because it exceeded a limit.
    case calmed = "closed a connection that exceeded a limit"
    /// A connection was closed because it broke HTTP/2.
    case brokeProtocol = "closed a connection that breaks HTTP/2"
    /// A connection was closed because it is not encrypted.
    case notEncrypted = "closed a connection that does not speak TLS"
    /// A connection was closed because its TLS handshake failed.
    case failedHandshake = "closed a connection whose TLS handshake failed"
    /// A connection was read more slowly.
    case slowedDown = "slowed a connection down"
    /// A connection was closed because it sent nothing.
    case silent = "closed a silent connection"
    /// A connection without calls was asked to go.
    case idle = "asked an idle connection to go"
    /// A call was ended because its request did not arrive completely.
    case unfinished = "ended a call whose request did not arrive"
    /// A call was ended because its answer was not read.
    case unread = "ended a call whose answer was not read"
    /// No connections were accepted for a while.
    case outOfDescriptors = "out of file descriptors; new connections wait"
    /// A connection was closed at the end of a shutdown.
    case cutOff = "cut connections off at the end of the shutdown"
  }

  private struct Tally {
    var count = 0
    var lines = TokenBucket(tokens: 5, period: .seconds(10))
    var suppressed = 0

    /// - Returns: how many lines were left out before this one; nil = this one is left out too.
    mutating func note() -> Int? {
      count += 1
      // Lines that are left out do not use up the rate: a lasting flood keeps being logged, only
      // not every event.
      guard lines.admits(at: .now()) else {
        suppressed += 1
        return nil
      }
      defer { suppressed = 0 }
      return suppressed
    }
  }

  private let logger: Logger
  private let tallies = Mutex<[Event: Tally]>([:])

  init(logger: Logger) { self.logger = logger }

  /// How often each event has happened.
  var counts: [String: Int] {
    tallies.withLock { tallies in
      Dictionary(uniqueKeysWithValues: tallies.map { ("\($0)", $1.count) })
    }
  }

  func count(_ event: Event, times: Int = 1) {
    tallies.withLock { $0[event, default: Tally()].count += times }
  }

  /// Counts an event, and logs it unless there were too many lines lately.
  func note(_ event: Event, reason: String, address: SocketAddress? = nil) {
    let suppressed = tallies.withLock { $0[event, default: Tally()].note() }
    guard let suppressed else { return }
    var metadata: Logger.Metadata = ["reason": "\(reason)"]
    if let address { metadata["peer"] = "\(address.ipAddress ?? "\(address)")" }
    if suppressed > 0 { metadata["unlogged"] = "\(suppressed)" }
    logger.warning("\(event.rawValue)", metadata: metadata)
  }
}
