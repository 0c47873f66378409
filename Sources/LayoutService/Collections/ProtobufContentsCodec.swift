// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Encodes contents and batches for the store, as messages of the public protocol.
struct ProtobufContentsCodec: ContentsCodec {
  /// Stored contents are read without limits: they were checked when they were accepted, and the
  /// configured limits may have been lowered since.
  private static let limitsOfStoredContents = ContentsLimits(
    items: 1 << 40,
    sections: 1 << 32,
    operations: 1 << 32,
    keyBytes: 1 << 32,
    itemDataBytes: 1 << 32
  )

  func encode(_ section: SectionContents) throws -> [UInt8] {
    try Wire.Section(headerOf: section).serializedBytes()
  }

  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents {
    let message = try Wire.Section(serializedBytes: bytes)
    var reader = FieldReader()
    let section = reader.sectionBlocks(message, kindCount: nil)
    try reader.finish()
    return SectionContents(
      key: section.key,
      metrics: section.metrics,
      layoutName: section.layoutName,
      outline: section.outline
    )
  }

  func encode(_ items: ItemBlock) throws -> [UInt8] { try Wire.ItemBlock(items).serializedBytes() }

  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock {
    let message = try Wire.ItemBlock(serializedBytes: bytes)
    var reader = FieldReader()
    let block = reader.block(message, kindCount: nil)
    try reader.finish()
    return block
  }

  func makeDecoder() -> any ContentsDecoder { Decoder() }

  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch {
    try Wire.UpdateBatch(serializedBytes: payload).decoded(limits: Self.limitsOfStoredContents)
  }

  /// Decodes contents from the messages of an export.
  private struct Decoder: ContentsDecoder {
    var reader: ContentsReader?

    mutating func add(_ part: [UInt8]) throws {
      let message = try Wire.ExportContentsResponse(serializedBytes: part)
      if reader == nil {
        reader = try ContentsReader(
          cellKindNames: message.cellKindNames,
          limits: ProtobufContentsCodec.limitsOfStoredContents
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
  init(_ part: ContentsParts.Part) {
    self.init()
    switch part {
    case .section(let section): self.section = section
    case .items(let block): items = block
    }
  }
}
