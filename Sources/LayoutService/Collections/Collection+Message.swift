// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

extension Wire.Collection {
  /// The message of a collection's description.
  ///
  /// - Parameter isFull: whether to include the default layout, which may be large.
  init(_ record: CollectionRecord, isFull: Bool = true) {
    self.init()
    name = CollectionName(record.id).description
    displayName = record.displayName
    labels = record.labels
    // The server encoded these bytes itself, so decoding them does not fail unless they are
    // damaged.
    if isFull, let bytes = record.defaultLayout,
      let layout = try? Wire.LayoutSpec(serializedBytes: bytes)
    {
      defaultLayout = layout
    }
    sharedMeasurements = record.sharesMeasurements ? .shared : .private
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
  init(_ time: CollectionTime) {
    self.init(seconds: time.seconds, nanos: time.nanoseconds)
  }
}

/// The fields of a collection that clients may set, after validation.
struct CollectionDescription {
  var displayName: String
  var labels: [String: String]
  var defaultLayout: [UInt8]?
  var sharesMeasurements: Bool

  private static let nameBytes = 256
  private static let labelCount = 64
  private static let labelBytes = 256

  /// Validates the message of a client.
  ///
  /// - Parameters:
  ///   - layoutBytes: the largest allowed size of the encoded default layout.
  ///   - prefix: the field path of the collection in its request.
  /// - Throws: FIELD_INVALID, or LAYOUT_KIND_UNKNOWN for the default layout.
  init(
    _ message: Wire.Collection,
    by rules: ReadingRules,
    layoutBytes: Int,
    prefix: String
  ) throws(LayoutProblem) {
    displayName = message.displayName
    labels = message.labels
    defaultLayout = nil
    switch message.sharedMeasurements {
    case .unspecified, .private: sharesMeasurements = false
    case .shared: sharesMeasurements = true
    case .UNRECOGNIZED(let value):
      throw .fieldInvalid(
        "\(prefix).shared_measurements",
        "\(value) found; 0, 1 (private) and 2 (shared) are allowed"
      )
    }
    try Self.check(displayName: displayName, "\(prefix).display_name")
    guard labels.count <= Self.labelCount else {
      throw .fieldInvalid(
        "\(prefix).labels",
        "\(labels.count) labels found; at most \(Self.labelCount) are allowed"
      )
    }
    for (key, value) in labels {
      let field = "\(prefix).labels[\(key.quotedAsFound)]"
      try Self.check(key, field, atMost: Self.labelBytes)
      try Self.check(value, field, atMost: Self.labelBytes)
    }
    guard message.hasDefaultLayout else { return }
    defaultLayout = try Self.encoded(
      message.defaultLayout,
      "\(prefix).default_layout",
      by: rules,
      atMost: layoutBytes
    )
  }

  /// Validates a layout that is to be stored.
  ///
  /// - Returns: the encoded layout, with the fields that this server does not know.
  static func encoded(
    _ layout: Wire.LayoutSpec,
    _ field: String,
    by rules: ReadingRules,
    atMost limit: Int
  ) throws(LayoutProblem) -> [UInt8] {
    // A decoded message can always be encoded. The size includes unknown fields, because they are
    // stored too.
    let encoded: [UInt8] = (try? layout.serializedBytes()) ?? []
    guard encoded.count <= limit else {
      throw .fieldInvalid(field, "\(encoded.count) bytes found; at most \(limit) are allowed")
    }
    _ = try layout.decoded(by: rules, prefix: field)
    return encoded
  }

  static func check(displayName: String, _ field: String) throws(LayoutProblem) {
    try check(displayName, field, atMost: nameBytes)
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
