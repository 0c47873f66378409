// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutProtocol
import SwiftProtobuf

/// A layout as the command line names it: protobuf JSON of LayoutSpec, "@FILE" that holds some, or
/// the bare name of a kind for its defaults.
struct LayoutArgument: ExpressibleByArgument, Hashable {
  /// Kinds that need nothing said about them.
  static let names = [
    "flow", "list", "grid", "waterfall", "line", "circle", "carousel", "stack", "spatial",
  ]

  static let help = """
    The layout: a kind for its defaults (\(names.joined(separator: ", "))), protobuf JSON of \
    LayoutSpec such as '{"flow":{"minimumLineSpacing":4}}', or @FILE that holds such JSON.
    """

  var text: String

  init(_ text: String) { self.text = text }

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// - Throws: `CommandFault` that says what is wrong with it.
  func spec() throws -> Wire.LayoutSpec {
    if text.hasPrefix("@") {
      let path = String(text.dropFirst())
      return try Wire.LayoutSpec(json: TextFile.read(path), of: path)
    }
    if text.contains("{") { return try Wire.LayoutSpec(json: Array(text.utf8), of: "--layout") }
    guard Self.names.contains(text) else {
      throw CommandFault(
        "--layout: \"\(text)\" found; \(Self.names.joined(separator: ", ")), JSON of a LayoutSpec "
          + "or @FILE are allowed",
        status: .usage
      )
    }
    // Columns are the one thing that has no default.
    let fields = text == "waterfall" ? "{\"minimumColumnWidth\":160}" : "{}"
    return try Wire.LayoutSpec(json: Array("{\"\(text)\":\(fields)}".utf8), of: "--layout")
  }
}

extension Message {
  /// Reads protobuf JSON.
  ///
  /// - Parameter source: the file or option that it comes from, for the fault.
  init(json bytes: [UInt8], of source: String) throws(CommandFault) {
    do { try self.init(jsonUTF8Bytes: bytes) } catch {
      throw CommandFault(
        "\(source): not JSON of \(Self.protoMessageName): \(error)",
        status: .usage
      )
    }
  }

  /// Protobuf JSON on one line, map keys in order.
  func json() throws -> String {
    var options = JSONEncodingOptions()
    options.useDeterministicOrdering = true
    return try jsonString(options: options)
  }
}
