// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// Which fields of which message types hold messages, texts and lists of numbers, so that these can
/// be counted in encoded bytes without decoding them.
///
/// Made once, from the descriptors that server reflection also serves.
struct MessageShapes: Sendable {
  /// A message type.
  struct Shape: Sendable {
    /// The full name of the type.
    var name: String
    /// The names of the fields that are looked at, by field number.
    var fields: [Int: String] = [:]
    /// The fields that hold one message and not a list, a bit for each field number.
    var singular: UInt64 = 0
  }

  private(set) var shapes: [Shape] = []
  /// The index of `google.protobuf.Value`; -1 = no served file uses it.
  private(set) var customValue = -1
  /// For each type and each field number below `fieldCount`: the index of the type of the field's
  /// messages; `textShape` = it holds texts; `numbersShape` and less = it holds a list of numbers;
  /// -1 = there is no such field, or it holds something else.
  private var table: [Int16] = []
  /// The indices of the types by their full names.
  private var indices: [String: Int] = [:]

  static let standard = MessageShapes()

  /// One more than the highest field number that is looked up. No request has higher ones.
  static let fieldCount = 64

  /// Stands for texts among the shapes of fields.
  private static let textShape: Int16 = -2
  /// Stands for lists of numbers among the shapes of fields; the bytes of a decoded number are
  /// subtracted.
  private static let numbersShape: Int16 = -3

  /// What a field holds that is looked at.
  enum Content {
    /// Messages, of the type with this index.
    case messages(Int)
    case texts
    /// A list of numbers, which may be packed, and the bytes that a decoded one takes; 0 = as many
    /// as encoded.
    case numbers(size: Int)
    case others
  }

  /// What a field holds.
  ///
  /// - Parameter index: of the message's type, below `shapes.count`.
  @inline(__always)
  func content(of field: UInt64, in index: Int) -> Content {
    guard field < UInt64(Self.fieldCount) else { return .others }
    let shape = table[index * Self.fieldCount + Int(field)]
    if shape >= 0 { return .messages(Int(shape)) }
    if shape == Self.textShape { return .texts }
    return shape <= Self.numbersShape ? .numbers(size: Int(Self.numbersShape - shape)) : .others
  }

  /// The index of a message type; nil = no served proto file has it.
  func index(of type: any Message.Type) -> Int? { indices[type.protoMessageName] }

  private init() {
    // The descriptors are generated and always readable; a test checks that. Without them nothing
    // would be counted.
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
        case .bytes, .group: continue
        default:
          guard field.label == .repeated else { continue }
          shape = Self.numbersShape - field.type.decodedSize
        }
        shapes[index].fields[number] = field.name
        if shape >= 0, field.label != .repeated { shapes[index].singular |= 1 << UInt64(number) }
        table[index * Self.fieldCount + number] = shape
      }
    }
  }
}

extension Google_Protobuf_FieldDescriptorProto.TypeEnum {
  /// The bytes that a number in a list takes once it is decoded; 0 = as many as encoded.
  fileprivate var decodedSize: Int16 {
    switch self {
    case .int32, .sint32, .uint32: 4
    case .int64, .sint64, .uint64: 8
    // Its known cases, or any number.
    case .enum: 16
    default: 0
    }
  }
}
