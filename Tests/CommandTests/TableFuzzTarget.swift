// SPDX-License-Identifier: Apache-2.0

@testable import layoutctl

/// Tables from any bytes, read as an import reads them.
package enum TableFuzzTarget {
  package enum Format: Sendable {
    case csv
    /// A JSON object on each line.
    case json
  }

  static let mapping = ColumnMapping(
    width: "w",
    height: "h",
    x: "x",
    y: "x",
    key: "id",
    section: "s",
    kind: "id",
    scaledHeight: 50
  )

  /// Runs what the bytes say: the size of the parts in which the rest comes, and the table.
  ///
  /// - Parameter messages: grows by one for each row.
  /// - Returns: what is wrong; nil when nothing is. A trap is wrong too.
  package static func run(_ bytes: [UInt8], format: Format, messages: inout Int) -> String? {
    let table = Array(bytes.dropFirst())
    let partSize = 1 + Int(bytes.first ?? 0) % 40
    let rows = outcome(of: table, format, partSize: partSize, messages: &messages)
    if let fault = rows.fault { return fault }
    // In one part.
    let again = outcome(of: table, format, partSize: table.count + 1, messages: &messages)
    return rows == again ? nil : "parts of \(partSize) bytes give other rows: \(rows), not \(again)"
  }

  /// What came of a table.
  private struct Outcome: Equatable {
    var rows: [TableRow] = []
    var faults: [RowFault] = []
    /// Why reading ended early.
    var end: CommandFault?
    var fault: String?
  }

  private static func outcome(
    of bytes: [UInt8],
    _ format: Format,
    partSize: Int,
    messages: inout Int
  ) -> Outcome {
    var outcome = Outcome()
    let source = AnyBytes(bytes, partSize: partSize)
    var reader: any TableReader
    do {
      reader =
        switch format {
        case .csv: try CSVTableReader(source, columns: mapping.columns)
        case .json: JSONLinesReader(source, columns: mapping.columns)
        }
    } catch {
      outcome.end = error as? CommandFault
      outcome.fault = outcome.end == nil ? "no reader: \(error)" : nil
      return outcome
    }
    let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
    // Each call takes at least a byte.
    for _ in 0 ... bytes.count + 1 where outcome.fault == nil {
      var places: [CSVReader.Place] = []
      do {
        guard let row = try reader.next() else { return outcome }
        messages += 1
        outcome.rows.append(row)
        places = row.places
        outcome.fault = fault(in: try mapping.item(of: row))
      } catch let fault as RowFault {
        outcome.faults.append(fault)
        places.append(fault.place)
      } catch {
        outcome.end = error as? CommandFault
        outcome.fault = outcome.end == nil ? "\(error)" : nil
        return outcome
      }
      for place in places
      where !(1 ... lines).contains(place.line) || !(1 ... bytes.count + 1).contains(place.column) {
        outcome.fault = "a place that there is not: \(place)"
      }
    }
    outcome.fault = outcome.fault ?? "reading does not end"
    return outcome
  }

  private static func fault(in item: ImportedItem) -> String? {
    for length in [item.width, item.height].compactMap(\.self)
    where !length.isFinite || length < 0 {
      return "a length of \(length)"
    }
    for number in [item.x, item.y].compactMap(\.self) where !number.isFinite {
      return "a position of \(number)"
    }
    return item.key?.isEmpty ?? true ? "an item without a key" : nil
  }
}

/// Bytes that come in parts.
private final class AnyBytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let partSize: Int

  init(_ bytes: [UInt8], partSize: Int) {
    rest = bytes[...]
    self.partSize = partSize
  }

  func next() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(partSize) }
    return Array(rest.prefix(partSize))
  }
}
