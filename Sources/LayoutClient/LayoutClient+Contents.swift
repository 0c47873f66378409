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
  ///   - name: "collections/{collection}"; it must exist.
  ///   - expectedDataVersion: nil = whatever is current.
  /// - Throws: `LayoutProblem`: VERSION_CONFLICT, FIELD_INVALID, QUOTA_ITEMS, QUOTA_IMPORTS. Nothing
  ///   is changed then.
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

  /// Replaces the contents of a collection, as one data version, with what `body` writes. For contents
  /// that are made or read on the way.
  ///
  /// - Throws: what `body` throws; `LayoutProblem`. Nothing is changed then.
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

  /// - Throws: `RPCError` where the server refuses; what `body` throws.
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
    // The call itself would only say that its stream broke.
    let failure = FirstError()
    do {
      return try await collections.importContents { [first] grpc in
        var writer = ImportWriter(grpc)
        try await writer.write(first)
        do { try await body(&writer) } catch {
          failure.note(error)
          throw error
        }
        try await writer.finish()
      } onResponse: {
        try $0.message.collection
      }
    } catch {
      throw failure.error ?? error
    }
  }

  /// The contents of a collection at one version.
  ///
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND.
  /// - Complexity: O(items) in time and memory.
  public func exportContents(
    of name: String
  ) async throws -> (collection: CollectionInfo, contents: CollectionContents) {
    var request = CollectionLayout_V1_ExportContentsRequest()
    request.name = name
    return try await call {
      try await collections.exportContents(request) { response in
        var header = Wire.Collection()
        var reader: ContentsReader?
        for try await message in response.messages {
          switch message.part {
          case .header(let collection):
            header = collection
            reader = try ContentsReader(
              cellKindNames: message.cellKindNames,
              limits: ReadingRules.client.limits
            )
          case .section(let section): try reader?.add(section)
          case .items(let block): try reader?.add(block)
          case nil: break
          }
        }
        return (CollectionInfo(header), try reader?.finish() ?? .empty)
      }
    }
  }
}

/// Writes the parts of an import: sections, each followed by its items.
public struct ImportWriter {
  private let writer: RPCWriter<CollectionLayout_V1_ImportContentsRequest>
  private var sections: UInt32 = 0
  private var items: UInt64 = 0

  /// Roughly the size of one part.
  private static let partBytes = 256 << 10

  init(_ writer: RPCWriter<CollectionLayout_V1_ImportContentsRequest>) { self.writer = writer }

  /// Begins a section. Items without one go into an unnamed first section.
  ///
  /// - Parameter key: unique in the collection; "" = none.
  public mutating func addSection(
    key: String = "",
    metrics: SectionMetrics = .init(),
    layoutName: String = ""
  ) async throws {
    try await add(
      Wire.Section(
        headerOf: SectionContents(key: key, metrics: metrics, layoutName: layoutName)
      )
    )
  }

  /// Adds items to the section before, however many.
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

  /// Says that this is all. Without it the server changes nothing.
  mutating func finish() async throws {
    var part = CollectionLayout_V1_ImportContentsRequest()
    part.end.sectionCount = sections
    part.end.itemCount = items
    try await write(part)
  }
}

/// The server takes no more parts: its answer says why.
private struct StreamBroke: Error {}

/// Why the making of contents ended early.
private final class FirstError: Sendable {
  private let state = Mutex<(any Error)?>(nil)

  var error: (any Error)? { state.withLock { $0 } }

  func note(_ error: any Error) {
    guard !(error is StreamBroke) else { return }
    state.withLock { $0 = $0 ?? error }
  }
}
