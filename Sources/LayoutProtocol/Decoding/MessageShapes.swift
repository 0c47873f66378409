// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// Which fields of which messages hold messages, for counting them in encoded bytes without
/// decoding them.
///
/// Made once from the descriptors that server reflection tells as well.
struct MessageShapes: Sendable {
  /// A message type.
  struct Shape: Sendable {
    var name: String
    /// The fields that hold messages, by number.
    var fields: [Int: String] = [:]
  }

  private(set) var shapes: [Shape] = []
  /// Of a value of a custom object or list; -1 = none.
  private(set) var customValue = -1
  /// For each type and each field number below `fieldCount` the type of the field's messages, as an
  /// index of `shapes`; -1 = no such field, or one of numbers, texts or bytes.
  private var table: [Int16] = []
  private var indices: [String: Int] = [:]

  static let standard = MessageShapes()

  /// No request has a field with a higher number.
  static let fieldCount = 64

  /// The type of the messages in a field; nil = it holds none.
  @inline(__always)
  func shape(of field: UInt64, in index: Int) -> Int? {
    guard field < UInt64(Self.fieldCount) else { return nil }
    let shape = Int(table[index * Self.fieldCount + Int(field)])
    return shape < 0 ? nil : shape
  }

  /// The place of a message type; nil for types that no served proto file has.
  func index(of type: any Message.Type) -> Int? { indices[type.protoMessageName] }

  private init() {
    // Generated with this code; where it cannot be read, nothing is counted, and a test says so.
    let set =
      Base64.decode(DescriptorSet.base64).flatMap {
        try? Google_Protobuf_FileDescriptorSet(serializedBytes: $0)
      } ?? Google_Protobuf_FileDescriptorSet()
    var found: [(scope: String, message: Google_Protobuf_DescriptorProto)] = []
    for file in set.file {
      let scope = file.package.isEmpty ? "" : "\(file.package)."
      found += file.messageType.map { (scope, $0) }
    }
    var next = 0
    while next < found.count {
      let (scope, message) = found[next]
      let name = scope + message.name
      indices[name] = shapes.count
      shapes.append(Shape(name: name))
      found += message.nestedType.map { ("\(name).", $0) }
      next += 1
    }
    table = Array(repeating: -1, count: shapes.count * Self.fieldCount)
    customValue = indices[Google_Protobuf_Value.protoMessageName] ?? -1
    for (index, (_, message)) in found.enumerated() {
      for field in message.field where field.type == .message {
        let number = Int(field.number)
        guard let shape = indices[String(field.typeName.drop { $0 == "." })],
          (0 ..< Self.fieldCount).contains(number)
        else { continue }
        shapes[index].fields[number] = field.name
        table[index * Self.fieldCount + number] = Int16(clamping: shape)
      }
    }
  }
}
