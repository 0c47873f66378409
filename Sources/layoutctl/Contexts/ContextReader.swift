// SPDX-License-Identifier: Apache-2.0

/// A JSON value of a file of contexts.
enum ContextValue: Decodable, CustomStringConvertible {
  case text(String)
  case bool(Bool)
  case list([ContextValue])
  case object([String: ContextValue])
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Decoding throws when the value has another type, hence `try?`.
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([ContextValue].self) {
      self = .list(value)
    } else if let value = try? container.decode([String: ContextValue].self) {
      self = .object(value)
    } else {
      self = .other
    }
  }

  var description: String {
    switch self {
    case .text: "a string"
    case .bool(let value): "\(value)"
    case .list: "a list"
    case .object: "an object"
    case .other: "null or a number"
    }
  }
}

/// Reads one object of a file of contexts. Errors name the file, the key, what was found and what
/// is allowed, but never a value that may be secret.
struct ContextReader {
  private let file: String
  private let place: String
  private let value: ContextValue

  /// - Parameter place: the path of the object in the file: "contexts.production"; "" = the whole
  ///   file.
  init(file: String, place: String, value: ContextValue) {
    self.file = file
    self.place = place
    self.value = value
  }

  private var members: [String: ContextValue] {
    get throws {
      if case .object(let members) = value { return members }
      throw fault(nil, "\(value) found; an object is allowed")
    }
  }

  /// Refuses all other keys.
  func allow(_ keys: [String]) throws {
    guard let unknown = try members.keys.filter({ !keys.contains($0) }).min() else { return }
    throw fault(unknown, "unknown; allowed are \(keys.joined(separator: ", "))")
  }

  func text(_ key: String) throws -> String? {
    switch try members[key] {
    case nil: return nil
    case .text(let text) where !text.isEmpty: return text
    case .text: throw fault(key, "an empty string found; leave the key out")
    case .some(let value): throw fault(key, "\(value) found; a string is allowed")
    }
  }

  func isTrue(_ key: String) throws -> Bool? {
    switch try members[key] {
    case nil: return nil
    case .bool(let isTrue): return isTrue
    case .some(let value): throw fault(key, "\(value) found; true and false are allowed")
    }
  }

  func list(_ key: String) throws -> [String]? {
    guard let value = try members[key] else { return nil }
    guard case .list(let values) = value else {
      throw fault(key, "\(value) found; a list of strings is allowed")
    }
    return try values.enumerated().map { index, value in
      guard case .text(let text) = value else {
        throw fault("\(key)[\(index)]", "\(value) found; a string is allowed")
      }
      return text
    }
  }

  func object(_ key: String) throws -> [String: ContextValue] {
    switch try members[key] {
    case nil: return [:]
    case .object(let members): return members
    case .some(let value): throw fault(key, "\(value) found; an object is allowed")
    }
  }

  /// - Parameter key: nil = the whole object.
  func fault(_ key: String?, _ text: String) -> CommandFault {
    let names = [place, key ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    return CommandFault("\(file): \(names.isEmpty ? "" : "\(names): ")\(text)", status: .usage)
  }
}
