// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Synchronization

/// A time of the day that only a test moves.
public final class TestTime: Sendable {
  private let date: Mutex<Date>

  /// A time that stands still.
  public init(_ begin: Date = Date(timeIntervalSince1970: 1_800_000_000)) { date = Mutex(begin) }

  /// The time.
  public var now: Date { date.withLock { $0 } }

  /// Moves the time on.
  public func pass(_ seconds: TimeInterval) { date.withLock { $0 += seconds } }
}
