// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a connection does with requests, from worst to best.
enum ConnectionAvailability: UInt8, Comparable, Sendable {
  /// It refuses them, because the last attempts to connect have failed.
  case broken
  /// They wait for the attempt that is being made.
  case connecting
  case ready

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The availability of a connection, which its thread sets and others read.
final class PublishedAvailability: Sendable {
  private let stored = Atomic(ConnectionAvailability.connecting.rawValue)

  var value: ConnectionAvailability {
    get { ConnectionAvailability(rawValue: stored.load(ordering: .relaxed)) ?? .connecting }
    set { stored.store(newValue.rawValue, ordering: .relaxed) }
  }
}

/// A connection that is chosen among several, such as `PostgresConnection`.
protocol ExchangeTaking: AnyObject, Sendable {
  /// May be out of date by the time that a request arrives.
  var availability: ConnectionAvailability { get }
  /// Requests that are not answered.
  var pendingCount: Int { get }

  /// Sends statements without waiting for the answers.
  ///
  /// - Parameter completion: called once, on any thread.
  func submit(
    _ exchange: Exchange,
    completion: @escaping @Sendable (ConnectionDriver.Outcome) -> Void
  )
}

extension BidirectionalCollection where Element: ExchangeTaking {
  /// The connection with the fewest requests, among those that can do most for them; nil = there
  /// are none.
  ///
  /// - Complexity: O(n)
  var leastBusy: Element? {
    // Among equally busy ones the last, which is kept free of large contents.
    reversed().min { a, b in
      let (first, second) = (a.availability, b.availability)
      return first == second ? a.pendingCount < b.pendingCount : first > second
    }
  }
}
