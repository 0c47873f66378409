// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutProtocol
import SwiftProtobuf

/// A parsed JSON document, with the few look-ups that the cases need.
struct JSON: @unchecked Sendable {
  // JSONSerialization's trees of immutable values are never changed after parsing.
  let value: Any

  static func parse(_ data: Data) throws -> JSON {
    JSON(value: try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed]))
  }

  /// A member; nil where it is absent or null.
  subscript(key: String) -> JSON? {
    guard let member = (value as? [String: Any])?[key], !(member is NSNull) else { return nil }
    return JSON(value: member)
  }

  /// The document with one member alone.
  func only(_ key: String) -> JSON {
    JSON(value: (value as? [String: Any] ?? [:]).filter { $0.key == key })
  }

  func has(_ key: String) -> Bool { (value as? [String: Any])?[key] != nil }

  var keys: [String] { Array((value as? [String: Any] ?? [:]).keys).sorted() }

  var list: [JSON] { (value as? [Any])?.map { JSON(value: $0) } ?? [] }

  var isList: Bool { value is [Any] }

  var isNull: Bool { value is NSNull }

  var string: String? { value as? String }

  var bool: Bool? { value as? Bool }

  var int: Int? { (value as? NSNumber)?.intValue }

  var double: Double? { value is NSNull ? nil : (value as? NSNumber)?.doubleValue }

  /// Numbers, where null stands for "any".
  var numbers: [Double?] { list.map(\.double) }

  var text: String {
    guard
      let data = try? JSONSerialization.data(
        withJSONObject: value,
        options: [.fragmentsAllowed, .sortedKeys]
      )
    else { return "?" }
    return String(decoding: data, as: UTF8.self)
  }

  /// The message that this is the protobuf JSON of.
  func message<M: Message>(_ type: M.Type = M.self) throws -> M { try M(jsonString: text) }
}
