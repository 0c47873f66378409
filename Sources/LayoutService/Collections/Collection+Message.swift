// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

extension Wire.Collection {
  init(_ record: CollectionRecord) {
    self.init()
    name = CollectionName(record.id).description
    displayName = record.displayName
    labels = record.labels
    // Bytes that this server wrote itself.
    if let bytes = record.defaultLayout, let layout = try? Wire.LayoutSpec(serializedBytes: bytes) {
      defaultLayout = layout
    }
    dataVersion = record.dataVersion
    incarnation = record.incarnation
    sectionCount = UInt32(clamping: record.sectionCount)
    itemCount = UInt64(clamping: record.itemCount)
    createTime = Google_Protobuf_Timestamp(record.createTime)
    updateTime = Google_Protobuf_Timestamp(record.updateTime)
    etag = record.etag
  }
}

extension Google_Protobuf_Timestamp {
  fileprivate init(_ time: CollectionTime) {
    self.init(seconds: time.seconds, nanos: time.nanoseconds)
  }
}

/// What clients may say about a collection, checked.
struct CollectionDescription {
  var displayName: String
  var labels: [String: String]
  var defaultLayout: [UInt8]?

  private static let nameBytes = 256
  private static let labelCount = 64
  private static let labelBytes = 256

  /// - Parameter prefix: where the collection lies in its request.
  init(
    _ message: Wire.Collection,
    by rules: ReadingRules,
    prefix: String
  ) throws(LayoutProblem) {
    displayName = message.displayName
    labels = message.labels
    defaultLayout = nil
    try Self.check(message.displayName, "\(prefix).display_name", atMost: Self.nameBytes)
    guard labels.count <= Self.labelCount else {
      throw .fieldInvalid(
        "\(prefix).labels",
        "\(labels.count) labels found; at most \(Self.labelCount) are allowed"
      )
    }
    for (key, value) in labels {
      try Self.check(key, "\(prefix).labels", atMost: Self.labelBytes)
      try Self.check(value, "\(prefix).labels", atMost: Self.labelBytes)
    }
    if message.hasDefaultLayout {
      _ = try message.defaultLayout.decoded(by: rules, prefix: "\(prefix).default_layout")
      // A message that was decoded can be encoded.
      defaultLayout = try? message.defaultLayout.serializedBytes()
    }
  }

  private static func check(
    _ text: String,
    _ field: String,
    atMost limit: Int
  ) throws(LayoutProblem) {
    guard text.utf8.count <= limit else {
      throw .fieldInvalid(field, "\(text.utf8.count) bytes found; at most \(limit) are allowed")
    }
  }
}
