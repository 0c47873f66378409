// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import SwiftProtobuf

/// Limits on an object of custom values. An encoded value of two bytes takes a hundred in memory.
struct CustomLimits {
  /// The most values of lists and objects at all depths.
  var values: Int
  /// The most UTF-8 bytes of all texts and names together.
  var bytes: Int
  /// How deep lists and objects may be nested.
  var depth = 32

  /// Limits of attributes in requests. They are small, since each element that has them is sent
  /// with a copy.
  static let attributes = CustomLimits(values: 256, bytes: 16 << 10)
  /// Limits of attributes that a client receives: whatever fits into a message.
  static let received = CustomLimits(values: 1 << 20, bytes: 16 << 20)
  /// Limits of the parameters of a custom layout.
  static let parameters = CustomLimits(values: 10_000, bytes: 256 << 10)
}

extension FieldReader {
  /// Reads an object of custom values; the result is empty if it is refused.
  ///
  /// - Complexity: O(`limits.values`), even if there are more values.
  mutating func custom(
    _ message: Google_Protobuf_Struct,
    _ name: StaticString,
    limits: CustomLimits
  ) -> [String: CustomValue] {
    within(name) { reader in
      var values = CustomValueReader(limits: limits)
      let fields = values.object(message, depth: 1)
      if let fault = values.fault { reader.reject(nil, fault) }
      return values.fault == nil ? fields : [:]
    }
  }
}

extension [String: CustomValue] {
  /// The fields of a message; nil = there are more of them, or deeper ones, than the parameters of
  /// a layout may have.
  package init?(_ message: Google_Protobuf_Struct) {
    var values = CustomValueReader(limits: .parameters)
    self = values.object(message, depth: 1)
    if values.fault != nil { return nil }
  }
}

/// Reads custom values up to the first fault.
private struct CustomValueReader {
  private let limits: CustomLimits
  private var values = 0
  private var bytes = 0
  /// The first fault: what was found and what is allowed; nil = there is none.
  private(set) var fault: String?

  init(limits: CustomLimits) { self.limits = limits }

  mutating func object(
    _ message: Google_Protobuf_Struct,
    depth: Int
  ) -> [String: CustomValue] {
    var fields: [String: CustomValue] = [:]
    for (name, value) in message.fields {
      count(text: name)
      let value = self.value(value, depth: depth)
      guard fault == nil else { return [:] }
      fields[name] = value
    }
    return fields
  }

  private mutating func list(
    _ message: Google_Protobuf_ListValue,
    depth: Int
  ) -> [CustomValue] {
    var list: [CustomValue] = []
    for value in message.values {
      let value = self.value(value, depth: depth)
      guard fault == nil else { return [] }
      list.append(value)
    }
    return list
  }

  private mutating func value(_ message: Google_Protobuf_Value, depth: Int) -> CustomValue {
    values += 1
    if values > limits.values {
      note("more than \(limits.values) values found; at most \(limits.values) are allowed")
    }
    if depth > limits.depth {
      note("values nest deeper than \(limits.depth) levels; at most \(limits.depth) are allowed")
    }
    guard fault == nil else { return .null }
    switch message.kind {
    case .nullValue, nil: return .null
    case .boolValue(let value): return .bool(value)
    case .numberValue(let value):
      if !value.isFinite { note("\(value) found; only finite numbers are allowed") }
      return .number(value)
    case .stringValue(let value):
      count(text: value)
      return .string(value)
    case .listValue(let list): return .list(self.list(list, depth: depth + 1))
    case .structValue(let object): return .object(self.object(object, depth: depth + 1))
    }
  }

  private mutating func count(text: String) {
    bytes += text.utf8.count
    if bytes > limits.bytes {
      note(
        "more than \(limits.bytes) bytes of texts and names found; at most \(limits.bytes) are allowed"
      )
    }
  }

  private mutating func note(_ text: String) { if fault == nil { fault = text } }
}

extension Google_Protobuf_Struct {
  /// The message of an object of custom values.
  package init(_ fields: [String: CustomValue]) {
    self.init()
    self.fields = fields.mapValues(Google_Protobuf_Value.init)
  }
}

extension Google_Protobuf_Value {
  fileprivate init(_ value: CustomValue) {
    self.init()
    switch value {
    case .null: kind = .nullValue(.nullValue)
    case .bool(let value): kind = .boolValue(value)
    case .number(let value): kind = .numberValue(value)
    case .string(let value): kind = .stringValue(value)
    case .list(let values):
      var list = Google_Protobuf_ListValue()
      list.values = values.map(Google_Protobuf_Value.init)
      kind = .listValue(list)
    case .object(let fields): kind = .structValue(Google_Protobuf_Struct(fields))
    }
  }
}
