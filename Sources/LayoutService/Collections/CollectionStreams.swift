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
    to writer: TimedWriter<AnswerBytes>,
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
    try await writer.write(AnswerBytes(bytes: header.serializedBytes()))
    let isLarge = snapshot.contents.itemCount + snapshot.contents.sectionCount > Self.fewItems
    var exporter = ContentsParts(snapshot.contents)
    while true {
      if call.isCancelled { throw CancellationError() }
      try call.access.throwIfDenied()
      let group: Export
      // One after another for each account: many exports would keep the threads busy that all
      // calls share.
      (group, exporter) = try await codec.engine.read(
        isLarge: isLarge,
        isLimited: false,
        for: call.account
      ) { [exporter] in
        var exporter = exporter
        return (try Export(nextOf: &exporter), exporter)
      }
      guard !group.parts.isEmpty else { return }
      call.charge(bytes: group.byteCount)
      call.charge(Double(group.parts.count) * Self.costOfPart)
      try await call.waitForBudget()
      try await writer.write(contentsOf: group.parts)
    }
  }

  /// More items and sections than this take some milliseconds to encode.
  private static let fewItems = 4000
  /// What a part costs besides its bytes: some microseconds.
  private static let costOfPart = 0.05

  /// The parts of an export that are written together.
  private struct Export: Sendable {
    private(set) var parts: [AnswerBytes] = []
    private(set) var byteCount = 0

    /// Parts with items are large and sent alone; small ones and the headers of sections are sent
    /// in groups.
    private static let mostBytes = 64 << 10
    private static let mostParts = 256

    /// Takes the next parts; none = the export is complete.
    init(nextOf exporter: inout ContentsParts) throws {
      while byteCount < Self.mostBytes, parts.count < Self.mostParts, let part = exporter.next() {
        let bytes: [UInt8] = try Wire.ExportContentsResponse(part).serializedBytes()
        parts.append(AnswerBytes(bytes: bytes))
        byteCount += bytes.count
      }
    }
  }
}
