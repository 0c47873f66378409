// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension ViewportSession {
  /// Takes a question that is answered once everything before it has been applied and sent.
  ///
  /// - Throws: WRONG_STATE where too many wait.
  mutating func waitForSync(_ seq: UInt64) throws(Refusal) {
    guard waitingSyncs.count < SessionLimits.waitingSyncs else {
      throw Refusal(
        .wrongState,
        "\(waitingSyncs.count) sync events wait for an answer already; no more are taken."
      )
    }
    waitingSyncs.append(seq)
  }

  /// The sequence numbers of sync events whose answer is due: of all that wait, once no layout is missing and no
  /// frame is due. To be called after `nextFrame`, `nextPrefetch` and `nextVisibility`, and sent after what they
  /// gave.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  public mutating func settledSyncs(at now: Duration) -> [UInt64] {
    guard !waitingSyncs.isEmpty, !isClosed, !hasWork, !needsTurn, unsettled.isEmpty,
      wantedLayout == nil
    else { return [] }
    defer { waitingSyncs = [] }
    lastOutgoing = max(lastOutgoing, now)
    return waitingSyncs
  }
}
