// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf
internal import Tracing

/// One import: collects the parts of the stream and commits them when the client has sent the end
/// mark.
///
/// It keeps the contents in their final form and one part in memory. The contents are charged to
/// the limit of all imports, to the call's account, and to the store, which takes them over.
struct ContentsImport {
  private let responder: CollectionResponder
  private let call: OpenCall
  private var header: Wire.ImportHeader?
  private var collection: LiveCollection?
  private var reader: ContentsReader?
  private var isComplete = false
  /// Room in the store for the contents so far; nil = none yet.
  private var reservation: MemoryReservation?
  /// An estimate of the memory of the contents so far, in bytes.
  private var keptBytes = 0
  /// The number of parts so far.
  private var index = 0
  private var sections = 0
  private var items = 0

  /// Imports with more items than this are finished on the engine's threads.
  private static let largeItemCount = 20_000

  /// The overhead of a key in memory, in addition to its own bytes: its string and its index entry.
  private static let bytesPerKey = 96
  /// The same for a key that fits into its string.
  private static let bytesPerShortKey = 40
  /// The most bytes that a string stores inline.
  private static let shortKeyBytes = 15
  private static let bytesPerSection = 512
  private static let bytesPerBlock = 64

  init(_ responder: CollectionResponder, _ call: OpenCall) {
    self.responder = responder
    self.call = call
  }

  /// Reads all parts of the stream.
  mutating func read(
    _ parts: RPCAsyncSequence<RequestBytes, any Error>,
    codec: MessageCodec
  ) async throws {
    var messages = TimedReader(parts, call)
    while let bytes = try await messages.next() {
      let part: Wire.ImportContentsRequest = try await codec.decode(
        bytes,
        for: call,
        isCharged: false
      )
      // After decoding, but few parts are decoded at once: large ones on the engine's threads.
      let reading = try call.hold(Self.decodedBytes(of: part, encoded: bytes.bytes.count))
      try keep(Self.keptBytes(of: part, encoded: bytes.bytes.count))
      try await take(part)
      withExtendedLifetime(reading) {}
      index += 1
      try await call.waitForBudget()
    }
  }

  /// Charges the memory of the contents read so far.
  ///
  /// - Throws: QUOTA_MEMORY.
  private mutating func keep(_ bytes: Int) throws(LayoutProblem) {
    try call.keep(bytes)
    keptBytes += bytes
    do throws(StoreError) {
      if let reservation {
        try reservation.resize(to: keptBytes)
      } else {
        reservation = try responder.registry.memory.reserve(keptBytes)
      }
    } catch { throw LayoutProblem(error) }
  }

  /// Commits the contents that were read.
  ///
  /// - Throws: PROTOCOL_VIOLATION without a header or an end mark; QUOTA_MEMORY.
  mutating func commit(
    payload: @escaping @Sendable (ContentsChange) -> [UInt8]?
  ) async throws -> CollectionSnapshot {
    guard let header, let collection, let reader else {
      throw LayoutProblem.protocolViolation("The stream ended without a header.")
    }
    guard isComplete else {
      throw LayoutProblem.protocolViolation(
        """
        The import ended without its end mark, so it may have been cut off; nothing was changed. \
        Send ImportContentsRequest.end as the last part.
        """
      )
    }
    // Checks that keys are unique, which takes time for large contents.
    let contents = try await responder.engine.read(
      isLarge: items > Self.largeItemCount,
      for: call.account
    ) {
      var reader = reader
      do throws(LayoutProblem) { return try reader.finish() } catch {
        throw error.within("section")
      }
    }
    // The size was an estimate so far.
    try keep(max(0, contents.approximateByteCount - keptBytes))
    // A client may still cancel after it has sent the end mark.
    try Task.checkCancellation()
    if call.isCancelled { throw CancellationError() }
    try call.access.throwIfDenied()
    do throws(StoreError) {
      let snapshot = try await Spans.run(
        "commit",
        ["layout.collection": .string(collection.id), "layout.items": .int64(Int64(items))]
      ) { () async throws(StoreError) in
        try await collection.replaceContents(
          with: contents,
          expectedDataVersion: Self.expectedVersion(of: header),
          reservation: reservation,
          payload: payload
        )
      }
      call.access.audit(.edit, on: collection.id, version: snapshot.record.dataVersion)
      return snapshot
    } catch { throw LayoutProblem(error, batchField: "header") }
  }

  // MARK: - Parts

  private mutating func take(_ part: Wire.ImportContentsRequest) async throws {
    guard !isComplete else {
      throw LayoutProblem.protocolViolation("Part \(index) comes after the end.")
    }
    switch part.part {
    case .header(let message): try await begin(message)
    case .section(let section):
      try add("section") { (reader) throws(LayoutProblem) in try reader.add(section) }
      sections += 1
      items += section.blocks.reduce(0) { $0 + Int($1.count) }
    case .items(let block):
      try add("items") { (reader) throws(LayoutProblem) in try reader.add(block) }
      sections = max(1, sections)
      items += Int(block.count)
    case .end(let end): try finish(end)
    case nil:
      throw LayoutProblem.fieldInvalid(
        "part",
        "nothing found in part \(index); header, section, items or end is needed"
      )
    }
  }

  private mutating func begin(_ message: Wire.ImportHeader) async throws {
    guard header == nil else {
      throw LayoutProblem.protocolViolation("Part \(index) is a second header.")
    }
    let found = try await responder.collection(
      named: message.name,
      field: "header.name",
      for: .edit,
      by: call
    )
    do throws(LayoutProblem) {
      reader = try ContentsReader(
        cellKindNames: message.cellKindNames,
        limits: responder.rules.limits
      )
    } catch { throw error.within("header") }
    let current = found.dataVersion
    if let expected = Self.expectedVersion(of: message), expected != current {
      throw LayoutProblem.versionConflict(
        field: "header.expected_data_version",
        expected: expected,
        current: current
      )
    }
    header = message
    collection = found
  }

  private mutating func finish(_ end: Wire.ImportEnd) throws {
    guard header != nil else {
      throw LayoutProblem.protocolViolation("Part \(index) comes before the header.")
    }
    if end.hasSectionCount, Int(end.sectionCount) != sections {
      throw LayoutProblem.fieldInvalid(
        "end.section_count",
        "\(end.sectionCount) found; \(sections) sections were received"
      )
    }
    if end.hasItemCount, end.itemCount != UInt64(items) {
      throw LayoutProblem.fieldInvalid(
        "end.item_count",
        "\(end.itemCount) found; \(items) items were received"
      )
    }
    isComplete = true
  }

  private mutating func add(
    _ field: String,
    _ add: (inout ContentsReader) throws(LayoutProblem) -> Void
  ) throws {
    // Taken out of the property, so that it is uniquely referenced and changed in place.
    guard var taken = reader.take() else {
      throw LayoutProblem.protocolViolation("Part \(index) comes before the header.")
    }
    do throws(LayoutProblem) { try add(&taken) } catch {
      var problem = error.within(field)
      // A fault of an earlier section is found at its end, which another part marks.
      if problem.metadata["section"] == nil { problem.metadata["part"] = String(index) }
      throw problem
    }
    reader = taken
  }

  // MARK: - Details

  private static func expectedVersion(of header: Wire.ImportHeader) -> UInt64? {
    header.hasExpectedDataVersion ? header.expectedDataVersion : nil
  }

  /// An estimate of the memory that a part adds to the contents. Numbers take about as much memory
  /// as in the message; keys take more.
  private static func keptBytes(of part: Wire.ImportContentsRequest, encoded: Int) -> Int {
    let structure = structure(of: part) { block in
      block.keys.reduce(bytesPerBlock + block.data.count * bytesPerKey) { bytes, key in
        bytes + (key.utf8.count <= shortKeyBytes ? bytesPerShortKey : bytesPerKey)
      }
    }
    return encoded + structure
  }

  /// An estimate of the additional memory while a part is read: its bytes, and its message.
  private static func decodedBytes(of part: Wire.ImportContentsRequest, encoded: Int) -> Int {
    let structure = structure(of: part) { block in
      MemoryLayout<Wire.ItemBlock>.stride + (block.keys.count + block.data.count) * bytesPerKey
        + (block.widths.count + block.heights.count + block.xs.count + block.ys.count) * 8
        + block.cellKinds.count * 4
    }
    return encoded + structure
  }

  /// The sum over the section and the blocks in a part.
  private static func structure(
    of part: Wire.ImportContentsRequest,
    _ bytes: (Wire.ItemBlock) -> Int
  ) -> Int {
    switch part.part {
    case .section(let section): section.blocks.reduce(bytesPerSection) { $0 + bytes($1) }
    case .items(let block): bytes(block)
    default: 0
    }
  }
}
