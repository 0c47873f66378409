// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import CollectionStore

/// Contents as heights in sections, batches as the deletions and insertions of transfers.
public struct TransferCodec: ContentsCodec {
  private let contents = TestCodec()

  public init() {}

  public func encode(_ section: SectionContents) -> [UInt8] { contents.encode(section) }
  public func decodeSection(_ bytes: [UInt8]) throws -> SectionContents {
    try contents.decodeSection(bytes)
  }
  public func encode(_ items: ItemBlock) -> [UInt8] { contents.encode(items) }
  public func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock {
    try contents.decodeItems(bytes)
  }
  public func makeDecoder() -> any ContentsDecoder { contents.makeDecoder() }

  /// Deletions are 0, section, lower and upper bound each; an insertion is 1, section, item and
  /// quarters of heights.
  public static func payload(_ batch: UpdateBatch) throws -> [UInt8] {
    guard case .operations(let operations) = batch.change else { throw TestCodec.Malformed() }
    var words: [Int] = []
    for operation in operations {
      switch operation {
      case .deleteItems(let section, let items):
        words += [0, section, items.lowerBound, items.upperBound]
      case .insertItems(let path, let blocks):
        let heights = blocks.flatMap { block in
          block.heights.count == 1
            ? Array(repeating: block.heights[0], count: block.count) : block.heights
        }
        words += [1, path.section, path.item ?? 0] + heights.map { Int($0 * 4) }
      default: throw TestCodec.Malformed()
      }
    }
    return TestCodec.bytes(words)
  }

  public func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch {
    let words = try TestCodec.words(payload)
    if words.first == 1, words.count >= 3 {
      let heights = words.dropFirst(3).map { Double($0) / 4 }
      let block = ItemBlock(count: heights.count, heights: heights)
      let path = IndexPath(section: words[1], item: words[2])
      return UpdateBatch([.insertItems(at: path, items: [block])])
    }
    guard words.count % 4 == 0 else { throw TestCodec.Malformed() }
    return UpdateBatch(
      stride(from: 0, to: words.count, by: 4).map {
        .deleteItems(section: words[$0 + 1], items: words[$0 + 2] ..< words[$0 + 3])
      }
    )
  }
}

/// A transfer between two of some collections, small enough to be written on a line.
public struct TestTransfer: Hashable, Sendable {
  public var source: Int
  public var destination: Int
  public var items: [Int]
  public var place: Int

  /// One between collections of one section with so many items each, which need not be there any
  /// more when it is made.
  public static func random(
    for counts: [Int],
    using generator: inout some RandomNumberGenerator
  ) -> TestTransfer {
    let source = Int.random(in: 0 ..< counts.count, using: &generator)
    let step = Int.random(in: 1 ..< counts.count, using: &generator)
    let destination = (source + step) % counts.count
    let items = (0 ..< Int.random(in: 1 ... 6, using: &generator)).map { _ in
      Int.random(in: 0 ..< max(1, counts[source]), using: &generator)
    }
    let place = Int.random(in: 0 ... counts[destination], using: &generator)
    return TestTransfer(source: source, destination: destination, items: items, place: place)
  }

  public init(source: Int, destination: Int, items: [Int], place: Int) {
    self.source = source
    self.destination = destination
    self.items = items
    self.place = place
  }

  public var words: [Int] { [source, destination, place] + items }

  public init?(words: [Int]) {
    guard words.count > 3 else { return nil }
    self.init(source: words[0], destination: words[1], items: Array(words[3...]), place: words[2])
  }

  /// As the store takes it.
  public func transfer(requestID: String) -> ItemTransfer {
    ItemTransfer(
      .paths(items.map { IndexPath(section: 0, item: $0) }),
      to: .path(IndexPath(section: 0, item: place)),
      requestID: requestID
    )
  }

  /// Makes the transfer between the collections "c0", "c1" and so on.
  ///
  /// - Returns: nil = the items, or the place, are not there any more.
  public func make(
    in registry: CollectionRegistry,
    requestID: String
  ) async throws -> TransferCommit? {
    let from = try await registry.collection("c\(source)")
    let to = try await registry.collection("c\(destination)")
    do throws(StoreError) {
      return try await from.transfer(transfer(requestID: requestID), to: to) {
        try TransferCodec.payload($0)
      }
    } catch {
      if case .refused(let refusal) = error, refusal.reason == .indexOutOfRange { return nil }
      throw error
    }
  }
}
