// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Contents and batches as the store keeps them: the messages of exports and updates.
struct ProtobufContentsCodec: ContentsCodec {
  var limits: ContentsLimits

  func encode(_ contents: CollectionContents) throws -> [[UInt8]] {
    var header = Wire.ExportContentsResponse()
    header.cellKindNames = contents.cellKindNames
    var parts: [[UInt8]] = [try header.serializedBytes()]
    var exporter = ContentsExporter(contents)
    while let part = exporter.next() {
      parts.append(try Wire.ExportContentsResponse(part).serializedBytes())
    }
    return parts
  }

  func decodeContents(_ parts: [[UInt8]]) throws -> CollectionContents {
    guard let first = parts.first else { return .empty }
    let header = try Wire.ExportContentsResponse(serializedBytes: first)
    var reader = try ContentsReader(cellKindNames: header.cellKindNames, limits: limits)
    for part in parts.dropFirst() {
      switch try Wire.ExportContentsResponse(serializedBytes: part).part {
      case .section(let section): try reader.add(section)
      case .items(let block): try reader.add(block)
      case .header, nil: break
      }
    }
    return try reader.finish()
  }

  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch {
    try Wire.UpdateBatch(serializedBytes: payload).decoded(limits: limits)
  }
}

extension Wire.ExportContentsResponse {
  init(_ part: ContentsExporter.Part) {
    self.init()
    switch part {
    case .section(let section): self.section = section
    case .items(let block): items = block
    }
  }
}
