// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import GRPCCore
package import LayoutProtocol
internal import SwiftProtobuf
internal import Synchronization

extension LayoutClient {
  /// Replaces the contents of a collection, as one data version.
  ///
  /// - Parameters:
  ///   - name: "collections/{collection}". The collection must exist.
  ///   - expectedDataVersion: the data version that the collection must have; nil = any.
  /// - Returns: the description of the collection after the import.
  /// - Throws: `LayoutProblem`: VERSION_CONFLICT, FIELD_INVALID, QUOTA_ITEMS, QUOTA_IMPORTS. The
  ///   collection is unchanged then.
  @discardableResult
  public func importContents(
    _ contents: CollectionContents,
    into name: String,
    expectedDataVersion: UInt64? = nil
  ) async throws -> CollectionInfo {
    try await importContents(
      into: name,
      cellKindNames: contents.cellKindNames,
      expectedDataVersion: expectedDataVersion
    ) { writer in
      var parts = ContentsParts(contents)
      while let part = parts.next() {
        switch part {
        case .section(let section): try await writer.add(section)
        case .items(let block): try await writer.add(block)
        }
      }
    }
  }

  /// Replaces the contents of a collection, as one data version, with the parts that `body` writes.
  /// Use this for contents that are generated or read while they are sent.
  ///
  /// - Parameters:
  ///   - name: "collections/{collection}". The collection must exist.
  ///   - cellKindNames: the reuse kinds to which item blocks refer; empty = one unnamed kind.
  ///   - expectedDataVersion: the data version that the collection must have; nil = any.
  ///   - body: writes the parts. The end mark is sent when it returns.
  /// - Returns: the description of the collection after the import.
  /// - Throws: what `body` throws; `LayoutProblem`. The collection is unchanged then.
  @discardableResult
  public func importContents(
    into name: String,
    cellKindNames: [String] = [],
    expectedDataVersion: UInt64? = nil,
    _ body: @Sendable @escaping (inout ImportWriter) async throws -> Void
  ) async throws -> CollectionInfo {
    CollectionInfo(
      try await call {
        try await sendContents(
          to: name,
          cellKindNames: cellKindNames,
          expectedDataVersion: expectedDataVersion,
          body
        )
      }
    )
  }

  /// Makes the ImportContents call.
  ///
  /// - Throws: `RPCError` if the server refuses the import; what `body` throws.
  package func sendContents(
    to name: String,
    cellKindNames: [String] = [],
    expectedDataVersion: UInt64? = nil,
    _ body: @Sendable @escaping (inout ImportWriter) async throws -> Void
  ) async throws -> Wire.Collection {
    var first = CollectionLayout_V1_ImportContentsRequest()
    first.header.name = name
    first.header.cellKindNames = cellKindNames
    if let expectedDataVersion { first.header.expectedDataVersion = expectedDataVersion }
    // The call would only report that its stream broke, so the error of `body` is kept here.
    let failure = FirstError()
    let sending = RequestTask()
    do {
      return try await collections.importContents { [first] grpc in
        try await sending.run {
          var writer = ImportWriter(grpc)
          try await writer.write(first)
          do { try await body(&writer) } catch {
            failure.note(error)
            throw error
          }
          // A body that did not notice that it was cancelled may not have written everything.
          try Task.checkCancellation()
          try await writer.finish()
        }
      } onResponse: { response in
        try await sending.endAfter { try response.message.collection }
      }
    } catch {
      // The end of the call cancels a body that is still writing.
      if failure.error is CancellationError, !Task.isCancelled { throw error }
      throw failure.error ?? error
    }
  }

  /// Reads the contents of a collection at its current version.
  ///
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND; DATA_LOSS if the server's answer is not
  ///   complete.
  /// - Complexity: O(items) in time and memory.
  public func exportContents(
    of name: String
  ) async throws -> (collection: CollectionInfo, contents: CollectionContents) {
    var request = CollectionLayout_V1_ExportContentsRequest()
    request.name = name
    return try await call {
      try await collections.exportContents(request) { response in
        var check = ExportCheck()
        var reader: ContentsReader?
        for try await message in response.messages {
          try check.take(message)
          switch message.part {
          case .header:
            reader = try ContentsReader(
              cellKindNames: message.cellKindNames,
              limits: ReadingRules.client.limits
            )
          case .section(let section): try reader?.add(section)
          case .items(let block): try reader?.add(block)
          case nil: break
          }
        }
        return (CollectionInfo(try check.finish()), try reader?.finish() ?? .empty)
      }
    }
  }
}

/// Writes the parts of an import: each section is followed by its items.
public struct ImportWriter {
  private let writer: RPCWriter<CollectionLayout_V1_ImportContentsRequest>
  private var sections: UInt32 = 0
  private var items: UInt64 = 0

  /// The approximate size of one part.
  private static let partBytes = 256 << 10

  init(_ writer: RPCWriter<CollectionLayout_V1_ImportContentsRequest>) { self.writer = writer }

  /// Begins a section. Items that are added before the first section go into an unnamed one.
  ///
  /// - Parameters:
  ///   - key: unique in the collection; "" = none.
  ///   - metrics: insets, spacing and header and footer sizes that override those of the layout.
  ///   - layoutName: the entry of a compositional layout, or of a layout of sections, that this
  ///     section uses; "" = by its index.
  ///   - outline: who decides which items are expanded; nil = the section is not an outline.
  public mutating func addSection(
    key: String = "",
    metrics: SectionMetrics = .init(),
    layoutName: String = "",
    outline: OutlineExpansion? = nil
  ) async throws {
    try await add(
      Wire.Section(
        headerOf: SectionContents(
          key: key,
          metrics: metrics,
          layoutName: layoutName,
          outline: outline
        )
      )
    )
  }

  /// Adds any number of items to the section that was begun last. The block is split into messages
  /// of about 256 KiB.
  public mutating func addItems(_ block: ItemBlock) async throws {
    var parts: [Wire.ItemBlock] = []
    Wire.ItemBlock.forEachBlock(of: ItemSequence([block]), maxBytes: Self.partBytes) {
      parts.append($0)
      return true
    }
    for part in parts { try await add(part) }
  }

  package mutating func add(_ section: Wire.Section) async throws {
    var part = CollectionLayout_V1_ImportContentsRequest()
    part.section = section
    try await write(part)
    sections += 1
    for block in section.blocks { items += UInt64(block.count) }
  }

  package mutating func add(_ block: Wire.ItemBlock) async throws {
    var part = CollectionLayout_V1_ImportContentsRequest()
    part.items = block
    try await write(part)
    sections = max(1, sections)
    items += UInt64(block.count)
  }

  fileprivate func write(_ part: CollectionLayout_V1_ImportContentsRequest) async throws {
    do { try await writer.write(part) } catch let error as CancellationError {
      throw error
    } catch {
      throw StreamBroke()
    }
  }

  /// Sends the end mark with the counts. Without it the server changes nothing.
  mutating func finish() async throws {
    var part = CollectionLayout_V1_ImportContentsRequest()
    part.end.sectionCount = sections
    part.end.itemCount = items
    try await write(part)
  }
}

/// The server accepts no more parts. The status of the call has the reason.
private struct StreamBroke: Error {}

/// Keeps the first error that the writer of contents threw.
private final class FirstError: Sendable {
  private let state = Mutex<(any Error)?>(nil)

  var error: (any Error)? { state.withLock { $0 } }

  func note(_ error: any Error) {
    guard !(error is StreamBroke) else { return }
    state.withLock { $0 = $0 ?? error }
  }
}
