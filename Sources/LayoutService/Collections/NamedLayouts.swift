// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf
internal import Synchronization

/// A named layout in the state in which a session has taken it.
struct FollowedLayout: Hashable, Sendable {
  /// Of the layout, in the session's collection.
  var id: String
  /// `NamedLayout.revision`.
  var revision: UInt64
}

/// Finds and reads named layouts. The last one that was read is kept, because all viewers of a layout want
/// it when it changes.
final class NamedLayouts: Sendable {
  private struct Key: Hashable {
    var incarnation: UInt64
    var revision: UInt64
  }

  private let rules: ReadingRules
  private let last = Mutex<(key: Key, configuration: LayoutConfiguration)?>(nil)

  init(rules: ReadingRules) { self.rules = rules }

  /// The layout of a name that a client gave.
  ///
  /// - Parameters:
  ///   - collection: the one that the client uses.
  ///   - field: where the name stands in the request.
  /// - Throws: FIELD_INVALID for what is no name, or of another collection; LAYOUT_NOT_FOUND; what is wrong
  ///   with the layout by now, such as a custom layout that is not registered any more.
  func layout(
    named name: String,
    of collection: LiveCollection,
    field: String
  ) throws(LayoutProblem) -> (configuration: LayoutConfiguration, followed: FollowedLayout) {
    let parsed = try LayoutName(parsing: name, field: field)
    guard parsed.collection.id == collection.id else {
      throw .fieldInvalid(
        field,
        "\(name.quotedAsFound) found; a layout of \(CollectionName(collection.id)) is needed"
      )
    }
    let record = collection.snapshot.record
    guard let layout = record.layout(parsed.id) else {
      throw .layoutNotFound(parsed.description)
    }
    let configuration = try configuration(of: layout, in: record)
    return (configuration, FollowedLayout(id: layout.id, revision: layout.revision))
  }

  /// Reads a layout.
  ///
  /// - Complexity: O(1) for the one that was read last, else O(encoded bytes)
  func configuration(
    of layout: NamedLayout,
    in record: CollectionRecord
  ) throws(LayoutProblem) -> LayoutConfiguration {
    let key = Key(incarnation: record.incarnation, revision: layout.revision)
    if let found = last.withLock({ $0?.key == key ? $0?.configuration : nil }) { return found }
    // The server encoded these bytes itself, so decoding them does not fail unless they are damaged.
    let spec = (try? Wire.LayoutSpec(serializedBytes: layout.layout)) ?? Wire.LayoutSpec()
    let configuration = try spec.decoded(by: rules, prefix: "layout")
    last.withLock { $0 = (key, configuration) }
    return configuration
  }
}
