// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// Reads parameters by name and type, and tells what is wrong, or what nobody asked for.
struct ParameterReader {
  private var unread: [String: CustomValue]
  private let prefix: String
  private var faults: [FieldViolation] = []
  private var known: [String] = []

  init(_ parameters: [String: CustomValue], prefix: String = "") {
    unread = parameters
    self.prefix = prefix
  }

  /// Leaves the value as it is where the parameter is absent.
  mutating func read(_ name: String, into value: inout Double) {
    switch take(name) {
    case .number(let number): value = number
    case nil: break
    case let other?: reject(name, "is \(other.typeName); must be a number")
    }
  }

  mutating func read(_ name: String, into value: inout Int) {
    switch take(name) {
    case .number(let number):
      if let integer = Int(exactly: number) {
        value = integer
      } else {
        reject(name, "is \(number); must be a whole number")
      }
    case nil: break
    case let other?: reject(name, "is \(other.typeName); must be a whole number")
    }
  }

  mutating func readObject(_ name: String, _ body: (inout ParameterReader) -> Void) {
    switch take(name) {
    case .object(let fields):
      var inner = ParameterReader(fields, prefix: "\(prefix)\(name).")
      body(&inner)
      inner.rejectUnread()
      faults += inner.faults
    case nil: break
    case let other?: reject(name, "is \(other.typeName); must be an object")
    }
  }

  /// - Returns: whether nothing was rejected.
  mutating func finish(_ findings: inout LayoutFindings) -> Bool {
    rejectUnread()
    for fault in faults { findings.reject(fault.field, fault.description) }
    return faults.isEmpty
  }

  private mutating func take(_ name: String) -> CustomValue? {
    known.append(name)
    return unread.removeValue(forKey: name)
  }

  private mutating func rejectUnread() {
    for name in unread.keys.sorted() {
      reject(name, "is no parameter of this layout; it has \(known.joined(separator: ", "))")
    }
  }

  private mutating func reject(_ name: String, _ description: String) {
    faults.append(.init(field: prefix + name, description: description))
  }
}

extension CustomValue {
  fileprivate var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
