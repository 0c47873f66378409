// SPDX-License-Identifier: Apache-2.0

public import LayoutSession

/// What is measured of each subject: a column of the matrix of benchmarks.
public enum Operation: Hashable, Sendable {
  /// A layout from nothing.
  case prepare
  /// Elements in a rect of 1024 × 768 at a random place.
  case query
  /// What a scroll bar asks: 100 buckets and 10 fractions.
  case scrollMap
  /// One batch: contents, and the layout derived.
  case edit(items: Int, Dataset.Place)
  /// From a viewport that moved 60 points to the frame, which is not encoded.
  case diff
  /// From an insertion or deletion in view to the frame, which is not encoded.
  case editedFrame
  /// The frame of half a viewport scrolled.
  case encode(ElementEncoding)

  public static let all: [Operation] =
    [.prepare, .query, .scrollMap]
    + Dataset.Place.allCases.filter { $0 != .scattered }.map { .edit(items: 1, $0) }
    + Dataset.Place.allCases.map { .edit(items: batchCount, $0) }
    + [.diff, .editedFrame, .encode(.packed), .encode(.messages)]

  /// Operations in a batch of more than one.
  public static let batchCount = 1000

  /// Such as "edit 1 head".
  public var name: String {
    switch self {
    case .prepare: "prepare"
    case .query: "query"
    case .scrollMap: "scroll map"
    case .edit(let items, let place): "edit \(items) \(place.rawValue)"
    case .diff: "diff scrolled"
    case .editedFrame: "diff edited"
    case .encode(let encoding): "encode \(encoding)"
    }
  }

  /// How many at a time are worth timing: some are over in a microsecond.
  public func runs(on subject: Subject) -> Int {
    switch self {
    case .query, .diff, .encode: subject.isScrolling ? 1000 : 1
    case .prepare, .scrollMap, .edit, .editedFrame: 1
    }
  }
}
