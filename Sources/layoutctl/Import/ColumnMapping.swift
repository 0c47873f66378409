// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// The values of an item in one row.
struct ImportedItem: Equatable {
  var width: Double?
  var height: Double?
  var x: Double?
  var y: Double?
  var key: String?
  var section: String?
  var kind: String?
  var data: String?
}

/// Maps the columns of a table to the values of an item.
struct ColumnMapping {
  var width: String?
  var height: String?
  var x: String?
  var y: String?
  var key: String?
  var section: String?
  var kind: String?
  /// The renderer's data of items: one column gives its text, several give a JSON object.
  var data: [String] = []
  /// Sizes are scaled so that every item has this height; nil = not scaled.
  var scaledHeight: Double?

  private static let maxKeyBytes = 128
  /// The most bytes of an item's data: what the server accepts, which can be configured to be as
  /// many.
  var maxDataBytes = 4096
  /// The greatest magnitude of numbers that servers accept.
  fileprivate static let greatest = 1_099_511_627_776.0

  private var all: [String?] { [width, height, x, y, key, section, kind] + data }

  /// The names of the columns that are used. A column with several uses is listed several times.
  var columns: [String] { all.compactMap(\.self) }

  /// The item of a row.
  ///
  /// - Parameter row: the values of `columns`, in that order.
  /// - Throws: `RowFault`.
  func item(of row: TableRow) throws -> ImportedItem {
    var next = 0
    func field(_ column: String?) -> Field? {
      guard let column else { return nil }
      defer { next += 1 }
      return Field(name: column, value: row.values[next], place: row.places[next])
    }
    let (width, height) = (field(width), field(height))
    let (x, y) = (field(x), field(y))
    let (key, section, kind) = (field(key), field(section), field(kind))
    let data = data.compactMap { field($0) }
    var item = ImportedItem(
      width: try width?.length(),
      height: try height?.length(),
      x: try x?.number(),
      y: try y?.number(),
      key: try key?.text(maxBytes: Self.maxKeyBytes),
      section: try section?.text(maxBytes: Self.maxKeyBytes) ?? section.map { _ in "(none)" },
      kind: try kind?.text(maxBytes: Self.maxKeyBytes),
      data: try self.data(of: data)
    )
    if let key, item.key == nil { throw key.fault("nothing found; a key is needed") }
    if let x, item.x == nil { throw x.fault("nothing found; a number is needed") }
    if let y, item.y == nil { throw y.fault("nothing found; a number is needed") }
    if let scaledHeight { try scale(&item, to: scaledHeight, width, height) }
    return item
  }

  /// The renderer's data of an item; nil = none.
  private func data(of fields: [Field]) throws -> String? {
    guard let first = fields.first else { return nil }
    guard fields.count > 1 else { return try first.text(maxBytes: maxDataBytes) }
    let members = try fields.compactMap { field in
      try field.text(maxBytes: maxDataBytes)
        .map { "\(try Self.json(field.name)):\(try Self.json($0))" }
    }
    guard !members.isEmpty else { return nil }
    let object = "{\(members.joined(separator: ","))}"
    guard object.utf8.count <= maxDataBytes else {
      throw first.fault(
        "\(object.utf8.count) bytes found together with the other columns of data; at most "
          + "\(maxDataBytes) are allowed"
      )
    }
    return object
  }

  /// A text as a JSON string.
  private static func json(_ text: String) throws -> String {
    try Google_Protobuf_Value(stringValue: text).jsonString()
  }

  private func scale(
    _ item: inout ImportedItem,
    to scaledHeight: Double,
    _ width: Field?,
    _ height: Field?
  ) throws {
    guard let oldHeight = item.height, let oldWidth = item.width else { return }
    guard oldHeight > 0 else {
      throw height?.fault("0 found; a height to scale is needed")
        ?? RowFault(place: .init(line: 0, column: 0), message: "a height to scale is needed")
    }
    // Multiples of 1/64 point are exact in every encoding.
    let scaled = (oldWidth * scaledHeight / oldHeight * 64).rounded() / 64
    guard scaled.isFinite, scaled <= Self.greatest else {
      throw width?.fault("too wide for its height")
        ?? RowFault(place: .init(line: 0, column: 0), message: "too wide for its height")
    }
    item.width = max(scaled, 1 / 64)
    item.height = scaledHeight
  }
}

/// One value of a row.
private struct Field {
  var name: String
  var value: String?
  var place: CSVReader.Place

  func fault(_ message: String) -> RowFault {
    RowFault(place: place, message: "\(name): \(message)")
  }

  func number() throws -> Double? {
    guard let value else { return nil }
    guard let number = Double(value.filter { $0 != " " }), number.isFinite else {
      throw fault("\"\(value.prefix(40))\" found; a number is needed")
    }
    guard abs(number) <= ColumnMapping.greatest else {
      throw fault("\(number) found; at most 2^40 in magnitude are allowed")
    }
    return number
  }

  func length() throws -> Double? {
    guard let number = try number() else { return nil }
    guard number >= 0 else { throw fault("\(number) found; 0 or more is needed") }
    return number
  }

  func text(maxBytes: Int) throws -> String? {
    guard let value else { return nil }
    guard value.utf8.count <= maxBytes else {
      throw fault("\(value.utf8.count) bytes found; at most \(maxBytes) are allowed")
    }
    return value
  }
}
