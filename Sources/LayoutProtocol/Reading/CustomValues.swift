// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import SwiftProtobuf

extension FieldReader {
  /// How deep lists and objects may nest in custom attributes and parameters.
  static let maxCustomDepth = 32

  package mutating func custom(
    _ message: Google_Protobuf_Struct,
    _ name: StaticString
  ) -> [String: CustomValue] {
    within(name) { reader in
      var fault: String?
      let fields = message.fields.mapValues { CustomValue($0, depth: 1, fault: &fault) }
      if let fault { reader.reject(nil, fault) }
      return fields
    }
  }
}

extension CustomValue {
  fileprivate init(_ message: Google_Protobuf_Value, depth: Int, fault: inout String?) {
    guard depth <= FieldReader.maxCustomDepth else {
      fault = "values nest deeper than \(FieldReader.maxCustomDepth), which is not allowed"
      self = .null
      return
    }
    switch message.kind {
    case .nullValue, nil: self = .null
    case .boolValue(let value): self = .bool(value)
    case .numberValue(let value):
      if !value.isFinite { fault = "\(value) found; finite numbers are allowed" }
      self = .number(value)
    case .stringValue(let value): self = .string(value)
    case .listValue(let list):
      self = .list(list.values.map { CustomValue($0, depth: depth + 1, fault: &fault) })
    case .structValue(let object):
      self = .object(
        object.fields.mapValues { CustomValue($0, depth: depth + 1, fault: &fault) }
      )
    }
  }
}

extension Google_Protobuf_Struct {
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
