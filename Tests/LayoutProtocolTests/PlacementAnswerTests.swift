// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutProtocol

@Suite("Answers of providers", .timeLimit(.minutes(1)))
struct PlacementAnswerTests {
  private static let count = 10_000
  private static let contents = CollectionContents(
    sections: [SectionContents(blocks: [ItemBlock(count: count)])]
  )

  /// What an answer asked to take, which is refused above a limit.
  private final class Meter: Sendable {
    struct Full: Error {}

    private let limit: Int
    private let noted = Mutex<[Int]>([])

    init(limit: Int = .max) { self.limit = limit }

    var taken: [Int] { noted.withLock { $0 } }

    func take(_ bytes: Int) throws {
      noted.withLock { $0.append(bytes) }
      if bytes > limit { throw Full() }
    }
  }

  private static func answer(_ meter: Meter) async throws -> PlacementAnswer {
    try await PlacementAnswer(contents, count, on: OwnThread()) { try meter.take($0) }
  }

  private static func add(_ bytes: [UInt8], to answer: PlacementAnswer) async throws {
    try await answer.add(AnswerBytes(bytes: bytes)) { (response: Wire.PrepareLayoutResponse) in
      switch response.part {
      case .elements(let elements): .elements(PlacedColumns(elements))
      case .end(let end): .end(PlacementEnd(end, scrollAxis: nil))
      case nil: nil
      }
    }
  }

  private static let elements = Wire.PrepareLayoutResponse.with {
    $0.elements.count = UInt32(count)
    $0.elements.items = (0 ..< Int32(count)).map { $0 }
    $0.elements.widths = [1]
    $0.elements.heights = [1]
  }

  @Test("charge a message before it is decoded, and its elements before they are added")
  func charges() async throws {
    let bytes: [UInt8] = try Self.elements.serializedBytes()
    let meter = Meter()
    let answer = try await Self.answer(meter)
    try await Self.add(bytes, to: answer)
    let taken = meter.taken
    #expect(taken.count == 3)
    let empty = PlacementBuilder.byteCount(for: Self.contents)
    let size = BoundedDecoding.decodedByteCount(
      bytes.span.bytes,
      as: Wire.PrepareLayoutResponse.self
    )
    #expect(taken.first == empty + size)
    // All are cells, whose places are charged from the beginning.
    #expect(taken.dropFirst().allSatisfy { $0 > empty + Self.count * 50 })
    #expect(taken.last == taken.dropLast().last)

    for step in 0 ..< 2 {
      let full = Meter(limit: taken[step] - 1)
      let answer = try await Self.answer(full)
      await #expect(throws: Meter.Full.self) { try await Self.add(bytes, to: answer) }
      #expect(full.taken.count == (taken[0] > taken[1] ? 1 : step + 1))
    }
  }

  @Test("with more elements than are allowed are at fault, and nothing is charged for these")
  func tooMany() async throws {
    var elements = Self.elements
    elements.elements.count = .max
    elements.elements.items = []
    let bytes: [UInt8] = try elements.serializedBytes()
    let meter = Meter()
    let answer = try await Self.answer(meter)
    await #expect(throws: PlacementFault("more than 10000 elements found")) {
      try await Self.add(bytes, to: answer)
    }
    #expect(meter.taken.count == 1)
  }

  @Test("are refused if a message sets its part twice, or is none")
  func malformed() async throws {
    let part: [UInt8] = try Self.elements.serializedBytes()
    for bytes in [part + part, [0x0a, 0x7f]] {
      let answer = try await Self.answer(Meter())
      await #expect(throws: PlacementFault.self) { try await Self.add(bytes, to: answer) }
    }
  }

  @Test("end when nobody waits for them any more")
  func cancelled() async throws {
    let bytes: [UInt8] = try Self.elements.serializedBytes()
    let answer = try await Self.answer(Meter())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Self.add(bytes, to: answer)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
