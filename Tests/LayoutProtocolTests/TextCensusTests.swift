// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import GRPCProtobuf
import SwiftProtobuf
import TestSupport
import Testing

@testable import LayoutProtocol

@Suite("Texts of requests", .timeLimit(.minutes(1)))
struct TextCensusTests {
  private func hasTooManyMarks(_ text: String) -> Bool { hasTooManyMarks(Array(text.utf8)) }

  private func hasTooManyMarks(_ bytes: [UInt8]) -> Bool {
    TextCensus.hasTooManyMarks(bytes.span)
  }

  /// By looking at each scalar.
  private func naive(_ text: String) -> Bool {
    var count = 0
    for scalar in text.unicodeScalars {
      let isMark =
        scalar.properties.canonicalCombiningClass != .notReordered
        || [0x0F73, 0x0F75, 0x0F81].contains(scalar.value)
      count = isMark ? count + 1 : 0
      if count > 30 { return true }
    }
    return false
  }

  @Test("have too many marks where looking at each scalar says so", arguments: 0 ..< 10)
  func marks(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // Marks of one to four bytes' scripts, letters of all lengths, and what consists of marks.
    let marks = ["\u{301}", "\u{323}", "\u{5B0}", "\u{94D}", "\u{1D165}", "\u{F73}", "\u{344}"]
    let others = ["a", "é", "я", "漢", "😀", "\u{200D}", " ", "한"]
    var found = 0
    for _ in 0 ..< 400 {
      var text = ""
      for _ in 0 ..< random.int(0 ... 6) {
        let isMarks = random.chance(50)
        let kinds = isMarks ? marks : others
        let single = random.chance(50) ? kinds[random.int(0 ... kinds.count - 1)] : nil
        for _ in 0 ..< random.int(0 ... (isMarks ? 40 : 200)) {
          text += single ?? kinds[random.int(0 ... kinds.count - 1)]
        }
      }
      let expected = naive(text)
      if expected { found += 1 }
      #expect(hasTooManyMarks(text) == expected)
    }
    #expect((100 ... 350).contains(found))
  }

  @Test("that are no UTF-8 have none")
  func malformed() {
    for byte in UInt8(0x80) ... 0xFF {
      let bytes = [UInt8](repeating: byte, count: 5000)
      #expect(!hasTooManyMarks(bytes))
    }
    #expect(!hasTooManyMarks([UInt8](repeating: 0xCC, count: 61)))
  }

  @Test("with many marks are refused by the field's name, wherever they are")
  func fields() throws {
    let marks = String(repeating: "\u{301}", count: 31)
    func problem<Request: Message>(_ request: Request) throws -> LayoutProblem? {
      let bytes: [UInt8] = try request.serializedBytes()
      do {
        _ = try BoundedDecoding.decode(bytes.span.bytes, as: Request.self)
        return nil
      } catch { return error as? LayoutProblem }
    }
    var health = Grpc_Health_V1_HealthCheckRequest()
    health.service = "a" + marks
    #expect(try problem(health)?.violations.map(\.field) == ["service"])
    health.service = "a" + marks.unicodeScalars.dropLast().map(String.init).joined()
    #expect(try problem(health) == nil)
    var create = CollectionLayout_V1_CreateCollectionRequest()
    create.contents.sections = [.with { $0.key = "s" }, .with { $0.key = "x" + marks + "y" }]
    #expect(try problem(create)?.violations.map(\.field) == ["contents.sections.key"])
    var update = CollectionLayout_V1_UpdateCollectionRequest()
    update.updateMask.paths = ["display_name", marks]
    #expect(try problem(update)?.violations.map(\.field) == ["update_mask.paths"])
    var stream = Wire.StreamLayoutRequest()
    stream.layout.layoutName = marks
    let bytes: [UInt8] = try stream.serializedBytes()
    #expect(throws: LayoutProblem.self) { try StreamRequest(decoding: bytes.span.bytes) }
  }

  @Test("of more than 256 KiB are refused")
  func long() throws {
    var health = Grpc_Health_V1_HealthCheckRequest()
    for (count, isRefused) in [(262_144, false), (262_145, true)] {
      health.service = String(repeating: "a", count: count)
      let bytes: [UInt8] = try health.serializedBytes()
      do {
        _ = try BoundedDecoding.decode(
          bytes.span.bytes,
          as: Grpc_Health_V1_HealthCheckRequest.self
        )
        #expect(!isRefused)
      } catch { #expect(isRefused) }
    }
  }

  @Test("are cut at a scalar, and told in few bytes")
  func cut() {
    #expect("abc".cut(toBytes: 3) == "abc")
    #expect("abcd".cut(toBytes: 3) == "…")
    #expect("aéé".cut(toBytes: 5) == "aéé")
    #expect("aééé".cut(toBytes: 6) == "aé…")
    #expect("aé😀😀".cut(toBytes: 9) == "aé…")
    let joined = "a" + String(repeating: "\u{200D}", count: 1_000_000)
    #expect(joined.quotedAsFound.utf8.count < 600)
    var problem = LayoutProblem(code: .notFound, reason: .none, message: joined)
    problem.violations = (0 ..< 100).map { _ in .init(field: joined, description: joined) }
    problem.metadata = ["a": joined, joined: "b"]
    problem.resource = .init(type: joined, name: joined)
    let bytes: Int? = try? (problem.status.serializedBytes() as [UInt8]).count
    #expect((bytes ?? .max) < 16_384)
    #expect(problem.rpcErrorMessage.utf8.count <= 1024)
    let wire: Int? = try? Wire.Problem(problem).serializedData().count
    #expect((wire ?? .max) < 16_384)
  }
}
