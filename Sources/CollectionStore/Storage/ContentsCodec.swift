// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Encodes contents and batches for storage, and decodes them.
///
/// Decoding throws for bytes that are malformed, never traps: they come from a file.
public protocol ContentsCodec: Sendable {
  /// Encodes a section without its items.
  func encode(_ section: SectionContents) throws -> [UInt8]
  /// Decodes a section without its items.
  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents

  /// Encodes the items of one chunk.
  func encode(_ items: ItemBlock) throws -> [UInt8]
  /// Decodes the items of one chunk.
  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock

  /// A decoder for snapshots in parts, the format of schema 1, which is read but no longer written.
  func makeDecoder() throws -> any ContentsDecoder

  /// Decodes a batch of the log.
  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch
}

/// Decodes a snapshot that was stored in parts.
public protocol ContentsDecoder {
  /// Adds the next part. The caller passes all parts in the order in which they were written.
  mutating func add(_ part: [UInt8]) throws
  /// Returns the contents. The caller calls this once, after the last part.
  mutating func finish() throws -> CollectionContents
}
