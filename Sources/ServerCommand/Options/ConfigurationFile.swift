// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import LayoutTrust

/// The JSON file that `--config` names: one object whose keys are options.
struct ConfigurationFile {
  let path: String
  private let values: [String: JSONValue]

  /// - Throws: `UsageError` that names the file, if the file cannot be read, contains an unknown
  ///   key, or contains a value of the wrong type.
  init(path: String) throws {
    self.path = path
    let data = try Self.read(path)
    do { values = try JSONDecoder().decode([String: JSONValue].self, from: data) } catch {
      throw UsageError("configuration file \(path): \(Self.reason(data))")
    }
    if let key = DoubledKeys.first(in: data) {
      throw UsageError("configuration file \(path): \"\(key)\" is there twice; once is allowed")
    }
    try check()
  }

  /// No server needs as much, and a larger file takes long to read.
  private static let mostBytes = 1 << 20

  private static func read(_ path: String) throws -> Data {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: mostBytes + 1) ?? Data()
    } catch {
      let reason =
        FileManager.default.fileExists(atPath: path) ? "it cannot be read" : "there is no such file"
      throw UsageError("configuration file \(path): \(reason)")
    }
    guard data.count <= mostBytes else {
      throw UsageError("configuration file \(path): it has more than \(mostBytes) bytes")
    }
    guard String(validating: data, as: UTF8.self) != nil else {
      throw UsageError("configuration file \(path): it is not UTF-8")
    }
    return data
  }

  var provider: some ConfigProvider {
    InMemoryProvider(
      name: path,
      values: values.reduce(into: [:]) { values, entry in
        guard let content = entry.value.content else { return }
        values[AbsoluteConfigKey([entry.key])] = ConfigValue(content, isSecret: false)
      }
    )
  }

  /// Options whose values may contain a secret, which no message shows.
  private static let secrets: Set = ["resumeSecret", "store"]

  private func check() throws {
    let texts = ServerOptions.textKeys.map(\.key).filter { $0 != "config" }
    let numbers = ServerOptions.numbers.map(\.key)
    let allowed = texts + numbers
    let unknown = values.keys.filter { !allowed.contains($0) }.sorted()
    if !unknown.isEmpty {
      let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
      let guess = unknown[0].closest(of: allowed).map { " (did you mean \"\($0)\"?)" } ?? ""
      throw UsageError(
        "configuration file \(path): unknown key\(unknown.count > 1 ? "s" : "") \(names)\(guess); "
          + "allowed are \(allowed.sorted().joined(separator: ", "))"
      )
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      let needed: String
      switch value {
      case .text where texts.contains(key), .number where numbers.contains(key): continue
      default: needed = texts.contains(key) ? "a string" : "a whole number"
      }
      let found = Self.secrets.contains(key) ? value.type : "\(value)"
      throw UsageError("configuration file \(path): \"\(key)\" is \(found); \(needed) is needed")
    }
  }

  private static func reason(_ data: Data) -> String {
    // `JSONSerialization` reports the position of the fault; `JSONDecoder` does not.
    do { _ = try JSONSerialization.jsonObject(with: data) } catch {
      let detail = (error as NSError).userInfo["NSDebugDescription"]
      return "it is not JSON: \(detail ?? error)"
    }
    return "a JSON object is needed, such as {\"port\": 50051}"
  }
}

/// A JSON value whose description is fit for an error message.
private enum JSONValue: Decodable, CustomStringConvertible {
  case text(String)
  case number(Int)
  case fraction(Double)
  case bool(Bool)
  case null, list, object
  /// Such as a number that is too large.
  case unreadable

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Decoding throws when the value has another type, hence `try?`.
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .number(value)
    } else if let value = try? container.decode(Double.self) {
      self = .fraction(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .list
    } else {
      self = (try? decoder.container(keyedBy: AnyKey.self)) == nil ? .unreadable : .object
    }
  }

  var content: ConfigContent? {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .int(number)
    default: nil
    }
  }

  /// The same for values that may be secrets: only their type.
  var type: String {
    switch self {
    case .text: "a string"
    case .number, .fraction, .unreadable: "a number"
    default: description
    }
  }

  var description: String {
    switch self {
    case .text(let text): "the string \"\(text.prefix(80))\""
    case .number(let number): "the number \(number)"
    case .fraction(let number): "the number \(number)"
    case .bool(let value): "\(value)"
    case .null: "null"
    case .list: "a list"
    case .object: "an object"
    case .unreadable: "a number that is too large"
    }
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension String {
  /// The most similar word, as a suggestion after a typing error. Returns nil if more than a third
  /// of the letters differ from every word.
  func closest(of words: [String]) -> String? {
    let near = words.map { (word: $0, distance: distance(to: $0)) }.min {
      $0.distance < $1.distance
    }
    guard let near, near.distance * 3 <= max(count, near.word.count) else { return nil }
    return near.word
  }

  /// The Levenshtein distance, ignoring case: how many letters have to be inserted, removed or
  /// replaced.
  private func distance(to other: String) -> Int {
    let (a, b) = (Array(lowercased()), Array(other.lowercased()))
    var row = Array(0 ... b.count)
    for i in a.indices {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let replaced = diagonal + (a[i] == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = Swift.min(replaced, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
