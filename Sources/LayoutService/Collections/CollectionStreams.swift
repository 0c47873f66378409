// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Answers the calls of CollectionService that stream.
struct CollectionStreams: Sendable {
  let responder: CollectionResponder
  let timing: ServiceTiming
  let drain: DrainSignal

  /// Replacements that make a message up to this size are told to those who watch updates; larger
  /// ones end their history. A batch is one message, of which clients read up to 4 MiB unless told
  /// otherwise.
  private static let toldReplacementBytes = 1 << 20
  private static let partsPerWrite = 16
  private static let batchesPerWrite = 32

  // MARK: - Import

  /// Gathers what the stream carries and commits it once the stream has ended well.
  ///
  /// Memory: the contents in their final form and one part.
  func importContents(
    _ parts: RPCAsyncSequence<Wire.ImportContentsRequest, any Error>,
    context: CallContext
  ) async throws -> Wire.ImportContentsResponse {
    var header: Wire.ImportHeader?
    var collection: LiveCollection?
    var reader: ContentsReader?
    var index = 0
    for try await part in parts {
      switch part.part {
      case .header(let message):
        guard header == nil else {
          throw LayoutProblem.protocolViolation("Part \(index) is a second header.")
        }
        header = message
        collection = try await responder.collection(named: message.name, field: "header.name")
        do throws(LayoutProblem) {
          reader = try ContentsReader(
            cellKindNames: message.cellKindNames,
            limits: responder.rules.limits
          )
        } catch { throw error.within("header") }
        if let expected = Self.expectedVersion(of: message), let current = collection?.dataVersion,
          expected != current
        {
          throw LayoutProblem.versionConflict(
            field: "header.expected_data_version",
            expected: expected,
            current: current
          )
        }
      case .section(let section):
        try Self.add("section", to: &reader, part: index) { (reader) throws(LayoutProblem) in
          try reader.add(section)
        }
      case .items(let block):
        try Self.add("items", to: &reader, part: index) { (reader) throws(LayoutProblem) in
          try reader.add(block)
        }
      case nil:
        throw LayoutProblem.fieldInvalid(
          "part",
          "nothing found in part \(index); header, section or items is needed"
        )
      }
      index += 1
    }
    // A stream that was cut off ends like one that was finished, but for this mark.
    if context.cancellation.isCancelled {
      throw RPCError(code: .cancelled, message: "The import was cancelled; nothing was changed.")
    }
    guard let header, let collection, let contents = try reader?.finish() else {
      throw LayoutProblem.protocolViolation("The stream ended without a header.")
    }
    let snapshot: CollectionSnapshot
    do throws(StoreError) {
      snapshot = try await collection.replaceContents(
        with: contents,
        expectedDataVersion: Self.expectedVersion(of: header),
        payload: Self.payload
      )
    } catch { throw LayoutProblem(error, batchField: "header") }
    var response = Wire.ImportContentsResponse()
    response.collection = Wire.Collection(snapshot.record)
    return response
  }

  private static func expectedVersion(of header: Wire.ImportHeader) -> UInt64? {
    header.hasExpectedDataVersion ? header.expectedDataVersion : nil
  }

  private static func add(
    _ field: String,
    to reader: inout ContentsReader?,
    part: Int,
    _ add: (inout ContentsReader) throws(LayoutProblem) -> Void
  ) throws {
    guard reader != nil else {
      throw LayoutProblem.protocolViolation("Part \(part) comes before the header.")
    }
    do throws(LayoutProblem) {
      if var taken = reader.take() {
        try add(&taken)
        reader = taken
      }
    } catch {
      var problem = error.within(field)
      problem.metadata["part"] = String(part)
      throw problem
    }
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
    to writer: RPCWriter<Wire.ExportContentsResponse>
  ) async throws {
    let writer = TimedWriter(writer: writer, limit: timing.write)
    let snapshot = try await responder.collection(named: request.name).snapshot
    var header = Wire.ExportContentsResponse()
    header.header = Wire.Collection(snapshot.record)
    if snapshot.contents.cellKindNames != [""] {
      header.cellKindNames = snapshot.contents.cellKindNames
    }
    try await writer.write(header)
    var exporter = ContentsExporter(snapshot.contents)
    var parts: [Wire.ExportContentsResponse] = []
    var isLarge = false
    while let part = exporter.next() {
      if case .items = part { isLarge = true }
      parts.append(Wire.ExportContentsResponse(part))
      // Headers of sections are small; items fill their part.
      if isLarge || parts.count == Self.partsPerWrite {
        try await writer.write(contentsOf: parts)
        parts.removeAll(keepingCapacity: true)
        isLarge = false
      }
    }
    try await writer.write(contentsOf: parts)
  }

  // MARK: - Watch

  /// Sends every batch after a version as it is committed, at the watcher's own pace: what it has
  /// not read yet waits in the collection's history and nowhere else.
  func watchUpdates(
    _ request: Wire.WatchUpdatesRequest,
    to writer: RPCWriter<Wire.WatchUpdatesResponse>
  ) async throws {
    let writer = TimedWriter(writer: writer, limit: timing.write)
    let collection = try await responder.collection(named: request.name)
    let wake = WakeSignal()
    let subscription = collection.subscribe { _ in wake.set() }
    defer { collection.unsubscribe(subscription) }
    let drainObserver = drain.observe { wake.set() }
    defer { drain.remove(drainObserver) }
    try await withRPCWake(wake) {
      try await watch(collection, after: request.afterDataVersion, to: writer, wake: wake)
    }
  }

  private func watch(
    _ collection: LiveCollection,
    after start: UInt64,
    to writer: TimedWriter<Wire.WatchUpdatesResponse>,
    wake: WakeSignal
  ) async throws {
    var version = start
    // At once, so that the watcher knows where it stands.
    var nextSign = ContinuousClock.now
    while true {
      if drain.isDraining { throw LayoutProblem.serverDraining() }
      if wake.isCancelled || Task.isCancelled { return }
      let batches: [StoredBatch]
      do throws(StoreError) {
        batches = try collection.history(after: version, limit: Self.batchesPerWrite)
      } catch {
        if case .historyCompacted(let least) = error {
          throw LayoutProblem.historyCompacted(found: version, minDataVersion: least)
        }
        throw LayoutProblem(error)
      }
      if !batches.isEmpty {
        var responses: [Wire.WatchUpdatesResponse] = []
        for batch in batches {
          var response = Wire.WatchUpdatesResponse()
          response.dataVersion = batch.version
          response.batch = try Wire.UpdateBatch(serializedBytes: batch.payload)
          responses.append(response)
          version = batch.version
        }
        try await writer.write(contentsOf: responses)
        nextSign = .now + timing.watchInterval
      } else if ContinuousClock.now >= nextSign {
        var sign = Wire.WatchUpdatesResponse()
        sign.dataVersion = collection.dataVersion
        try await writer.write(sign)
        nextSign = .now + timing.watchInterval
      } else {
        await wake.wait(until: nextSign)
      }
    }
  }
}
