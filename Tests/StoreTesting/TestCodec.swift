// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import CollectionStore

/// Contents as heights in sections, batches as `TestOperation`s.
public struct TestCodec: ContentsCodec {
  struct Malformed: Error {}

  public init() {}

  public func encode(_ section: SectionContents) -> [UInt8] { [1] }

  public func decodeSection(_ bytes: [UInt8]) throws -> SectionContents {
    guard bytes == [1] else { throw Malformed() }
    return SectionContents()
  }

  public func encode(_ items: ItemBlock) -> [UInt8] {
    Self.bytes([items.count] + items.heights.map { Int($0 * 4) })
  }

  public func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock {
    let words = try Self.words(bytes)
    guard let count = words.first else { throw Malformed() }
    return ItemBlock(count: count, heights: words.dropFirst().map { Double($0) / 4 })
  }

  /// Parts are one for each section's start and one for each run of its items.
  public func makeDecoder() -> any ContentsDecoder { Decoder() }

  public func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch {
    guard let operation = TestOperation(words: try Self.words(payload)) else { throw Malformed() }
    return operation.batch()
  }

  public static func payload(_ operation: TestOperation) -> [UInt8] { bytes(operation.words) }

  public static func contents(_ heights: [[Double]]) -> CollectionContents {
    CollectionContents(
      sections: heights.map { heights in
        SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])
      }
    )
  }

  public static func heights(of contents: CollectionContents) -> [[Double]] {
    var sections: [[Double]] = []
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      var heights: [Double] = []
      heights.reserveCapacity(section.items.count)
      section.items.forEachChunk(in: 0 ..< section.items.count) { chunk, _ in
        for index in 0 ..< chunk.count { heights.append(chunk.heights.value(at: index) ?? -1) }
        return true
      }
      sections.append(heights)
      return true
    }
    return sections
  }

  static func bytes(_ words: [Int]) -> [UInt8] {
    words.flatMap { word in withUnsafeBytes(of: Int32(word).littleEndian) { Array($0) } }
  }

  static func words(_ bytes: [UInt8]) throws -> [Int] {
    guard bytes.count % 4 == 0 else { throw Malformed() }
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      let word = (0 ..< 4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
      return Int(Int32(bitPattern: word))
    }
  }

  private struct Decoder: ContentsDecoder {
    var sections: [[Double]] = []

    mutating func add(_ part: [UInt8]) throws {
      let words = try TestCodec.words(part)
      if words == [-1] { return sections.append([]) }
      guard !sections.isEmpty else { throw Malformed() }
      sections[sections.count - 1].append(contentsOf: words.map { Double($0) / 4 })
    }

    func finish() -> CollectionContents { TestCodec.contents(sections) }
  }
}
