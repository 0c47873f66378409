// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Answers the calls of CollectionService that stream.
struct CollectionStreams: Sendable {
  let responder: CollectionResponder
  let codec: MessageCodec

  /// Replacements that make a message up to this size are told to those who watch updates; larger
  /// ones end their history. A batch is one message, of which clients read up to 4 MiB unless told
  /// otherwise.
  private static let toldReplacementBytes = 1 << 20
  private static let partsPerWrite = 16

  // MARK: - Import

  /// Replaces the contents of a collection with what the stream carries.
  ///
  /// - Throws: PROTOCOL_VIOLATION where the stream ends without its end mark; nothing is changed then.
  func importContents(
    _ parts: RPCAsyncSequence<RequestBytes, any Error>,
    call: OpenCall
  ) async throws -> Wire.ImportContentsResponse {
    var contents = ContentsImport(responder, call)
    try await contents.read(parts, codec: codec)
    let snapshot = try await contents.commit(payload: Self.payload)
    var response = Wire.ImportContentsResponse()
    response.collection = Wire.Collection(snapshot.record)
    return response
  }

  /// The replacement as a batch, where it is small and names no kinds, which batches cannot.
  @Sendable
  private static func payload(of change: ContentsChange) -> [UInt8]? {
    // In memory sections and chunks take more than in messages.
    guard change.new.approximateByteCount <= 4 * toldReplacementBytes,
      change.new.cellKindNames == change.old.cellKindNames
    else { return nil }
    var operations: [UpdateOperation] = []
    if change.old.sectionCount > 0 {
      operations.append(.deleteSections(0 ..< change.old.sectionCount))
    }
    if change.new.sectionCount > 0 {
      var sections: [SectionContents] = []
      change.new.forEachSection(in: 0 ..< change.new.sectionCount) { _, section in
        sections.append(section)
        return true
      }
      operations.append(.insertSections(at: 0, sections))
    }
    // What cannot be told ends the history like what is too large.
    let bytes: [UInt8]? = try? Wire.UpdateBatch(UpdateBatch(operations)).serializedBytes()
    return bytes.flatMap { $0.count <= toldReplacementBytes ? $0 : nil }
  }

  // MARK: - Export

  /// Sends the contents as they are now, whatever happens to them meanwhile.
  func exportContents(
    _ request: Wire.ExportContentsRequest,
    to writer: TimedWriter<Wire.ExportContentsResponse>,
    call: OpenCall
  ) async throws {
    let snapshot = try await responder.collection(named: request.name).snapshot
    var header = Wire.ExportContentsResponse()
    header.header = Wire.Collection(snapshot.record)
    if snapshot.contents.cellKindNames != [""] {
      header.cellKindNames = snapshot.contents.cellKindNames
    }
    try await writer.write(header)
    var exporter = ContentsParts(snapshot.contents)
    var parts: [Wire.ExportContentsResponse] = []
    var isLarge = false
    while let part = exporter.next() {
      if call.isCancelled { throw CancellationError() }
      if case .items = part { isLarge = true }
      parts.append(Wire.ExportContentsResponse(part))
      // Headers of sections are small; items fill their part.
      if isLarge || parts.count == Self.partsPerWrite {
        call.charge(bytes: isLarge ? 256 << 10 : 1 << 10)
        try await call.waitForBudget()
        try await writer.write(contentsOf: parts)
        parts.removeAll(keepingCapacity: true)
        isLarge = false
      }
    }
    try await writer.write(contentsOf: parts)
  }
}
