// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// Which fields of which message types hold messages, so that messages can be counted in encoded bytes
/// without decoding these.
///
/// Made once, from the descriptors that server reflection also serves.
struct MessageShapes: Sendable {
  /// A message type.
  struct Shape: Sendable {
    /// The full name of the type.
    var name: String
    /// The names of the fields that hold messages or texts, by field number.
    var fields: [Int: String] = [:]
  }

  private(set) var shapes: [Shape] = []
  /// The index of `google.protobuf.Value`; -1 = no served file uses it.
  private(set) var customValue = -1
  /// For each type and each field number below `fieldCount`: the index of the type of the field's
  /// messages; `textShape` = it holds texts; -1 = there is no such field, or it holds neither.
  private var table: [Int16] = []
  /// The indices of the types by their full names.
  private var indices: [String: Int] = [:]

  static let standard = MessageShapes()

  /// One more than the highest field number that is looked up. No request has higher ones.
  static let fieldCount = 64

  /// Stands for texts among the shapes of fields.
  private static let textShape: Int16 = -2

  /// What a field holds that is looked at.
  enum Content {
    /// Messages, of the type with this index.
    case messages(Int)
    case texts
    case others
  }

  /// What a field holds.
  ///
  /// - Parameter index: of the message's type, below `shapes.count`.
  @inline(__always)
  func content(of field: UInt64, in index: Int) -> Content {
    guard field < UInt64(Self.fieldCount) else { return .others }
    let shape = table[index * Self.fieldCount + Int(field)]
    return shape >= 0 ? .messages(Int(shape)) : shape == Self.textShape ? .texts : .others
  }

  /// The index of a message type; nil = no served proto file has it.
  func index(of type: any Message.Type) -> Int? { indices[type.protoMessageName] }

  private init() {
    // The descriptors are generated and always readable; a test checks that. Without them nothing would
    // be counted.
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
      for field in message.field where (0 ..< Self.fieldCount).contains(Int(field.number)) {
        let number = Int(field.number)
        let shape: Int16
        switch field.type {
        case .string: shape = Self.textShape
        case .message:
          guard let index = indices[String(field.typeName.drop { $0 == "." })] else { continue }
          shape = Int16(clamping: index)
        default: continue
        }
        shapes[index].fields[number] = field.name
        table[index * Self.fieldCount + number] = shape
      }
    }
  }
}
