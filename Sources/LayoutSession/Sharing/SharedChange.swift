// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A change of contents whose measured sizes sessions share: a batch of the collection, or new
/// sizes.
public struct SharedChange: Sendable {
  /// The version that the change leads to; it starts from the version before.
  public var version: UInt64
  /// The collection's data version after the change.
  public var dataVersion: UInt64
  /// What changed, with all items of outlines.
  public var change: ContentsChange
  /// The items measured by then.
  var measured: MeasuredItems
  /// The sizes that were set; nil = the change is a batch.
  var sizes: [IndexPath: Size]?

  /// Whether it only sets sizes.
  public var isMeasurement: Bool { sizes != nil }

  /// Roughly the memory that it uses and the contents after it do not, in bytes.
  var byteCount: Int { 256 + change.replacedByteCount + 64 * (sizes?.count ?? 0) }
}

/// Why a size was not accepted for all sessions.
public enum SharedRefusal: String, Hashable, Sendable, CaseIterable {
  /// The reporter has no right to change what others see.
  case role
  /// There is no room for new sizes.
  case full
  /// The size of this element has been changed too often.
  case disputed
  /// The reporter's version is older than those that are kept.
  case behind
}

/// The outcome of sizes that a session reported.
public struct SharedOutcome: Sendable {
  /// The number of accepted sizes.
  public var accepted = 0
  /// The number of sizes that were known already.
  public var equal = 0
  /// The refused sizes, by the places that the session gave.
  public var refused: [MeasuredPlace: SharedRefusal] = [:]
  /// The version that has, or will have, the accepted sizes; nil = none was accepted.
  public var version: UInt64?

  /// An outcome without sizes.
  public init() {}

  /// An outcome that refuses all of these sizes.
  public init(refusing places: some Sequence<MeasuredPlace>, _ reason: SharedRefusal) {
    for place in places { refused[place] = reason }
  }
}

/// Sizes that a session wants to share. Its owner passes them to `SharedContents`, and the outcome
/// to `ViewportSession.offered`.
public struct SharedOffer: Sendable {
  /// The sequence number of the event.
  public var eventSequence: UInt64
  /// What the client reported.
  let report: MeasurementReport
  /// The sizes.
  public var sizes: [MeasuredPlace: Size]
}
