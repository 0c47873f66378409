// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Contents and batches as the store keeps them: the messages of exports and updates.
struct ProtobufContentsCodec: ContentsCodec {
  /// What was accepted once is read whatever the limits are today.
  private static let acceptedOnce = ContentsLimits(
    items: 1 << 40,
    sections: 1 << 32,
    operations: 1 << 32,
    keyBytes: 1 << 32
  )

  func encode(_ contents: CollectionContents, to receive: ([UInt8]) throws -> Void) throws {
    var header = Wire.ExportContentsResponse()
    header.cellKindNames = contents.cellKindNames == [""] ? [] : contents.cellKindNames
    try receive(header.serializedBytes())
    var exporter = ContentsExporter(contents)
    while let part = exporter.next() {
      try receive(Wire.ExportContentsResponse(part).serializedBytes())
    }
  }

  func makeDecoder() -> any ContentsDecoder { Decoder() }

  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch {
    try Wire.UpdateBatch(serializedBytes: payload).decoded(limits: Self.acceptedOnce)
  }

  private struct Decoder: ContentsDecoder {
    var reader: ContentsReader?

    mutating func add(_ part: [UInt8]) throws {
      let message = try Wire.ExportContentsResponse(serializedBytes: part)
      if reader == nil {
        reader = try ContentsReader(
          cellKindNames: message.cellKindNames,
          limits: ProtobufContentsCodec.acceptedOnce
        )
      }
      switch message.part {
      case .section(let section): try reader?.add(section)
      case .items(let block): try reader?.add(block)
      case .header, nil: break
      }
    }

    mutating func finish() throws -> CollectionContents { try reader?.finish() ?? .empty }
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
