// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutClient
import LayoutProtocol

/// Reads the rows of one file as items, once from start to end.
actor ImportedRows {
  private let name: String
  private let file: FileBytes
  private let mapping: ColumnMapping
  private let skipsInvalid: Bool
  private var reader: any TableReader
  private var progress: ProgressLine
  /// The line on which each key was first seen, so that the error for a repeated key can name both
  /// lines.
  private var linesByKey: [ExactText: UInt32] = [:]
  private var rowCount = 0
  private(set) var invalidCount = 0

  init(file path: String, isJSON: Bool, mapping: ColumnMapping, skipsInvalid: Bool) throws {
    name = path == "-" ? "standard input" : path
    self.mapping = mapping
    self.skipsInvalid = skipsInvalid
    file = try FileBytes(path: path)
    do {
      reader =
        isJSON
        ? JSONLinesReader(file, columns: mapping.columns, structured: Set(mapping.data))
        : try CSVTableReader(file, columns: mapping.columns)
    } catch let fault as CommandFault {
      throw CommandFault("\(name): \(fault.message)", status: fault.status)
    }
    progress = ProgressLine(name, total: file.size)
  }

  /// Reads the next items; nil at the end of the file.
  func nextBlocks() throws -> [Wire.ItemBlock]? {
    var builder = ItemBlockBuilder()
    while builder.blocks.isEmpty, let item = try nextItem() { builder.append(item, kind: 0) }
    builder.finish()
    guard builder.blocks.isEmpty else { return builder.blocks }
    progress.clear()
    return nil
  }

  /// Waits, at the end of a pipe, for a signal that may have ended the program that wrote to it:
  /// what came until then is not all, and is not imported.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  nonisolated func confirmEnd() async throws {
    if await !isRegular { try await Task.sleep(for: .milliseconds(200)) }
    try Task.checkCancellation()
  }

  private var isRegular: Bool { file.size != nil }

  /// Sends all items in blocks while the file is read.
  nonisolated func send(to writer: inout ImportWriter) async throws {
    while let blocks = try await nextBlocks() {
      for block in blocks { try await writer.add(block) }
    }
    try await confirmEnd()
  }

  /// Reads all items and groups them by section.
  func table() throws -> ImportedTable {
    var table = ImportedTable()
    while let item = try nextItem() { table.append(item) }
    progress.clear()
    return table
  }

  private func nextItem() throws -> ImportedItem? {
    do { return try readItem() } catch {
      progress.clear()
      throw error
    }
  }

  private func readItem() throws -> ImportedItem? {
    while true {
      do {
        guard let row = try reader.next() else { return nil }
        rowCount += 1
        progress.show(done: file.position, note: "\(rowCount.grouped) rows")
        let item = try mapping.item(of: row)
        if let key = item.key {
          let line = row.places.first?.line ?? 0
          // As on the server, keys that only look the same are different.
          let exact = ExactText(key)
          if let first = linesByKey.updateValue(UInt32(clamping: line), forKey: exact) {
            linesByKey[exact] = first
            throw RowFault(
              place: row.places.first ?? .init(line: line, column: 1),
              message: "the key \"\(key)\" was already used on line \(first)"
            )
          }
        }
        return item
      } catch let fault as RowFault {
        guard skipsInvalid else {
          throw CommandFault(
            "\(name):\(fault.place.line):\(fault.place.column): \(fault.message)"
          )
        }
        invalidCount += 1
      }
    }
  }
}
