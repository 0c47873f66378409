// SPDX-License-Identifier: Apache-2.0

/// The kinds of events of which one took long a short while ago, so that the next ones are for the
/// session's turn.
///
/// A kind is quick again only after several quick events in a row: else a client could send a small
/// event after each costly one, and all the costly ones would be processed on a thread that all
/// share.
struct SlowKinds: Sendable {
  /// How many quick events each of them still needs.
  private var missing: [SessionEventKind: Int] = [:]

  /// How many quick events in a row make a kind quick again.
  static let quickEvents = 16

  func contains(_ kind: SessionEventKind) -> Bool { !missing.isEmpty && missing[kind] != nil }

  /// Notes an event that was processed.
  mutating func note(_ kind: SessionEventKind, tookLong: Bool) {
    if tookLong {
      missing[kind] = Self.quickEvents
    } else if !missing.isEmpty, let count = missing[kind] {
      missing[kind] = count > 1 ? count - 1 : nil
    }
  }
}
