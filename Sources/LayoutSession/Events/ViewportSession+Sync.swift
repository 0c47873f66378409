// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension ViewportSession {
  /// Records a question that is answered when everything before it has been applied and sent.
  ///
  /// - Throws: WRONG_STATE if too many are waiting.
  mutating func waitForSync(_ seq: UInt64) throws(Refusal) {
    guard waitingSyncs.count < SessionLimits.waitingSyncs else {
      throw Refusal(
        .wrongState,
        "\(waitingSyncs.count) sync events wait for an answer already; no more are taken."
      )
    }
    waitingSyncs.append(seq)
  }

  /// The sequence numbers of sync events whose answer is due: all pending ones, once no layout is
  /// missing and no frame is due. Call this after `nextFrame`, `nextPrefetch` and `nextVisibility`,
  /// and send the answers after their results.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  public mutating func settledSyncs(at now: Duration) -> [UInt64] {
    guard !waitingSyncs.isEmpty, !isClosed, !hasWork, !needsTurn, unsettled.isEmpty,
      wantedLayout == nil
    else { return [] }
    defer { waitingSyncs = [] }
    link.lastOutgoing = max(link.lastOutgoing, now)
    return waitingSyncs
  }
}
