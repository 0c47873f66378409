// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf

/// Answers ImportContents and ExportContents of CollectionService.
struct CollectionStreams: Sendable {
  let responder: CollectionResponder
  let codec: MessageCodec

  /// An import whose batch is at most this large is sent to watchers; a larger one ends the
  /// collection's history. A batch is one message, and gRPC clients accept messages up to 4 MiB by
  /// default.
  private static let toldReplacementBytes = 1 << 20
  private static let partsPerWrite = 16

  // MARK: - Import

  /// Replaces the contents of a collection with the contents in the stream.
  ///
  /// - Throws: PROTOCOL_VIOLATION if the stream ends without its end mark. Nothing is changed then.
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

  /// The encoded batch that replaces all contents, for watchers.
  ///
  /// - Returns: nil if the batch would be too large, or if the cell kind names change, of which a
  ///   batch can only add some.
  @Sendable
  private static func payload(of change: ContentsChange) -> [UInt8]? {
    // Contents take more bytes in memory than in a message, so this excludes only what is too
    // large.
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
    // If encoding fails, the history ends as for a batch that is too large.
    let bytes: [UInt8]? = try? Wire.UpdateBatch(UpdateBatch(operations)).serializedBytes()
    return bytes.flatMap { $0.count <= toldReplacementBytes ? $0 : nil }
  }

  // MARK: - Export

  /// Sends a snapshot of the contents. Changes that are committed during the export do not affect
  /// it.
  func exportContents(
    _ request: Wire.ExportContentsRequest,
    to writer: TimedWriter<Wire.ExportContentsResponse>,
    call: OpenCall
  ) async throws {
    let snapshot = try await responder.collection(
      named: request.name,
      for: .view,
      by: call
    ).snapshot
    call.access.audit(
      .view,
      on: snapshot.record.id,
      version: snapshot.record.dataVersion,
      lasts: true
    )
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
      try call.access.throwIfDenied()
      if case .items = part { isLarge = true }
      parts.append(Wire.ExportContentsResponse(part))
      // Section headers are small and are sent in groups; a part with items is large and is sent
      // alone.
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
