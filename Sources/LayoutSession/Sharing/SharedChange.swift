// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A change of contents whose measured sizes sessions share: a batch of the collection, or new sizes.
public struct SharedChange: Sendable {
  /// The version that the change leads to; it starts from the version before.
  public var version: UInt64
  /// The collection's data version then.
  public var dataVersion: UInt64
  /// What changed, with all items of outlines.
  public var change: ContentsChange
  /// The items that have been measured, afterwards.
  var measured: MeasuredItems
  /// The items that were measured; nil = it is a batch.
  var sizes: [IndexPath: Size]?

  /// Whether it only brings sizes.
  public var isMeasurement: Bool { sizes != nil }

  /// Roughly the memory that it uses and the contents after it do not, in bytes.
  var byteCount: Int { 256 + change.replacedByteCount + 64 * (sizes?.count ?? 0) }
}

/// Why a size was not taken for all.
public enum SharedRefusal: String, Hashable, Sendable, CaseIterable {
  /// Who reported it may only read.
  case role
  /// There is no room for new sizes.
  case full
  /// The element's size has been changed as often as it may be.
  case disputed
  /// Who reported it knows an older version than is kept.
  case behind
}

/// What became of sizes that a session reported.
public struct SharedOutcome: Sendable {
  /// The sizes that were taken.
  public var accepted = 0
  /// Those that were there already.
  public var equal = 0
  /// Those that were not taken, by the places that the session gave.
  public var refused: [MeasuredPlace: SharedRefusal] = [:]
  /// The version that has, or will have, those that were taken; nil = none was.
  public var version: UInt64?

  /// Nothing yet.
  public init() {}

  /// All of these are refused.
  public init(refusing places: some Sequence<MeasuredPlace>, _ reason: SharedRefusal) {
    for place in places { refused[place] = reason }
  }
}

/// Sizes that a session wants to share: its owner passes them to what it shares, and the outcome to
/// `ViewportSession.offered`.
public struct SharedOffer: Sendable {
  /// The sequence number of the event.
  public var eventSequence: UInt64
  /// What the client reported.
  let report: MeasurementReport
  /// The sizes.
  public var sizes: [MeasuredPlace: Size]
}
