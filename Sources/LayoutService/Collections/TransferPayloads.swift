// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutProtocol
internal import ResourceAccounting
internal import SwiftProtobuf
internal import Synchronization

/// The encoded batches of one transfer, which wait in memory until they are stored. They are
/// charged to the caller of the transfer while this object exists.
final class TransferPayloads: Sendable {
  private let account: Account
  private let messageBytes: Int
  private let leases = Mutex<[Lease]>([])

  /// - Parameter messageBytes: the most bytes of one message.
  init(account: Account, messageBytes: Int) {
    self.account = account
    self.messageBytes = messageBytes
  }

  /// Encodes a batch, as it is stored and as watchers get it.
  ///
  /// - Throws: QUOTA_MEMORY if it does not fit into a message; `LimitExceeded` if the account has
  ///   no room.
  func payload(of batch: UpdateBatch) throws -> [UInt8] {
    let bytes: [UInt8] = try Wire.UpdateBatch(batch).serializedBytes()
    guard bytes.count <= messageBytes else {
      let found = "the batch of the items takes \(bytes.count) bytes; at most \(messageBytes)"
      throw Refusal(.quotaMemory, field: "source", found)
    }
    let lease = try account.charge(bytes.count)
    leases.withLock { $0.append(lease) }
    return bytes
  }
}
