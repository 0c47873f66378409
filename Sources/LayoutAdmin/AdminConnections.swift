// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The open connections of an admin port, limited in number. For a new connection, the least
/// recently used one that waits for its client is closed. So clients that connect and say nothing
/// keep nobody out.
struct AdminConnections {
  private struct Entry {
    var channel: any Channel
    /// Whether a request is being answered.
    var isAnswering = false
    /// Grows with each use.
    var lastUse: UInt64
  }

  let limit: Int
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var uses: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }
  var channels: [any Channel] { entries.values.map(\.channel) }

  /// Adds a connection.
  ///
  /// - Returns: false = too many are being answered; otherwise the one to be closed for it.
  mutating func add(_ channel: any Channel) -> (isAdded: Bool, dropped: (any Channel)?) {
    var dropped: (any Channel)?
    if entries.count >= limit {
      let idle = entries.filter { !$0.value.isAnswering }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
        return (false, nil)
      }
      entries[oldest.key] = nil
      dropped = oldest.value.channel
    }
    entries[ObjectIdentifier(channel)] = Entry(channel: channel, lastUse: nextUse())
    return (true, dropped)
  }

  mutating func remove(_ channel: ObjectIdentifier) { entries[channel] = nil }

  /// Notes whether a request is being answered.
  mutating func note(_ channel: ObjectIdentifier, isAnswering: Bool) {
    let use = nextUse()
    entries[channel]?.isAnswering = isAnswering
    entries[channel]?.lastUse = use
  }

  private mutating func nextUse() -> UInt64 {
    // Counts the requests of one process, so it cannot overflow.
    uses &+= 1
    return uses
  }
}
