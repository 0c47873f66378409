// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutProtocol
import SwiftProtobuf

/// A layout on the command line: a LayoutSpec in protobuf JSON, "@FILE" with such JSON, or the name
/// of a kind to use its defaults.
struct LayoutArgument: ExpressibleByArgument, Hashable {
  /// The kinds that can be given by name.
  static let names = [
    "flow", "list", "grid", "waterfall", "grid_lanes", "table", "line", "circle", "carousel",
    "stack", "spatial",
  ]

  /// Twelve columns, of which the first stays.
  private static var sampleTable: String {
    let others = (2 ... 12).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    return #"{"columns":[{"id":"1","frozen":"TABLE_EDGE_LEADING"},\#(others)]}"#
  }

  static let help = """
    The layout: the name of a kind (\(names.joined(separator: ", "))), a LayoutSpec in protobuf JSON \
    such as '{"flow":{"minimumLineSpacing":4}}', or @FILE with such JSON.
    """

  var text: String

  init(_ text: String) { self.text = text }

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// The layout as a message.
  ///
  /// - Parameter option: what the layout was given with, for the error message.
  /// - Throws: `CommandFault` if the text is not a layout or the file cannot be read.
  func spec(of option: String = "--layout") throws -> Wire.LayoutSpec {
    if text.hasPrefix("@") {
      let path = String(text.dropFirst())
      return try Wire.LayoutSpec(json: TextFile.read(path), of: path)
    }
    if text.contains("{") { return try Wire.LayoutSpec(json: Array(text.utf8), of: option) }
    guard Self.names.contains(text) else {
      throw CommandFault(
        "\(option): \"\(text)\" found; \(Self.names.joined(separator: ", ")), JSON of a LayoutSpec "
          + "or @FILE are allowed",
        status: .usage
      )
    }
    // Columns and lanes have no default.
    let fields =
      switch text {
      case "waterfall": #"{"minimumColumnWidth":160}"#
      case "grid_lanes": #"{"lanes":[{"fraction":1,"minimum":160,"autoFill":true}]}"#
      case "table": Self.sampleTable
      default: "{}"
      }
    return try Wire.LayoutSpec(json: Array("{\"\(text)\":\(fields)}".utf8), of: option)
  }
}

extension Message {
  /// Parses protobuf JSON.
  ///
  /// - Parameter source: the file or option that contains it, for the error message.
  init(json bytes: [UInt8], of source: String) throws(CommandFault) {
    // The reader would put U+FFFD in the place of what is not UTF-8.
    if let offset = bytes.invalidUTF8Offset {
      throw CommandFault("\(source): not UTF-8 at byte \(offset + 1)", status: .usage)
    }
    do { try self.init(jsonUTF8Bytes: bytes) } catch JSONDecodingError.unknownField(let name) {
      throw CommandFault(
        "\(source): \(Self.protoMessageName) and what it contains have no field \"\(name)\" in that place",
        status: .usage
      )
    } catch {
      throw CommandFault(
        "\(source): not JSON of \(Self.protoMessageName): \(JSONFault.text(of: error, in: bytes))",
        status: .usage
      )
    }
  }

  /// The message as protobuf JSON on one line, with sorted map keys.
  ///
  /// - Throws: `CommandFault` if a value has no form in JSON, as a server may answer.
  func json() throws -> String {
    var options = JSONEncodingOptions()
    options.useDeterministicOrdering = true
    do { return try jsonString(options: options) } catch let error as JSONEncodingError {
      throw CommandFault(
        "\(Self.protoMessageName) cannot be written as JSON: \(JSONFault.text(of: error))"
      )
    }
  }
}
