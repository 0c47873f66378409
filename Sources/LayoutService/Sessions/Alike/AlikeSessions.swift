// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import LayoutProtocol
internal import SwiftProtobuf
internal import Synchronization

/// A digest of what a session was opened with, which finds sessions opened alike.
struct AlikeOpening: Hashable, Sendable {
  private let digest: SHA256Digest

  /// - Parameters:
  ///   - collection: `LiveCollection.contentsIdentity`.
  ///   - layout: the number of the stored layout; nil = the layout is in the request.
  /// - Returns: nil = the request cannot be encoded.
  init?(
    _ message: Wire.OpenSession,
    eventSequence: UInt64,
    collection: UInt64,
    layout: UInt64?
  ) {
    guard let bytes: [UInt8] = try? message.serializedBytes() else { return nil }
    var hash = SHA256()
    hash.update(data: Array("\(eventSequence) \(collection) \(layout ?? 0) ".utf8))
    hash.update(data: bytes)
    digest = hash.finalize()
  }
}

/// Finds the group of sessions that were opened alike.
final class AlikeSessions: Sendable {
  private struct Entry {
    weak var group: AlikeGroup?
  }

  /// Openings that are remembered, half a megabyte in all, which is in no account. If that many are
  /// reached and most are in use, all are forgotten, and sessions opened later make groups of their
  /// own: looking for those that are not in use takes as long as there are many.
  private static let most = 4096

  private let entries = Mutex<[AlikeOpening: Entry]>([:])

  /// The group of sessions that were opened so, with the caller in it.
  func join(_ opening: AlikeOpening) -> AlikeGroup.Membership {
    entries.withLock { entries in
      if let group = entries[opening]?.group { return group.join() }
      if entries.count >= Self.most {
        entries = entries.filter { $0.value.group != nil }
        if entries.count > Self.most / 2 { entries = [:] }
      }
      let group = AlikeGroup()
      entries[opening] = Entry(group: group)
      return group.join()
    }
  }
}
