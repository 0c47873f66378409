// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import Testing

@testable import layoutctl

@Suite("Stillness", .timeLimit(.minutes(2)))
struct StillnessTests {
  /// A list of rows 20 points high, seen 100 points high.
  private struct Rows {
    var mirror = ElementMirror()
    var stillness = Stillness(viewport: Size(width: 100, height: 100))
    private var frame: UInt64 = 0

    init(_ keys: [String]) throws {
      _ = try show(keys)
      stillness.begin(mirror)
    }

    @discardableResult
    mutating func show(_ keys: [String], layoutVersion: UInt64 = 1) throws -> MirroredChange {
      frame += 1
      var message = Wire.LayoutFrame()
      message.frameSeq = frame
      message.layoutVersion = layoutVersion
      message.liveCount = UInt32(keys.count)
      message.contentSize = .with { ($0.width, $0.height) = (100, Double(keys.count) * 20) }
      message.elements.upserts = keys.enumerated().map { index, key in
        .with {
          $0.slot = UInt32(index)
          $0.itemKey = key
          $0.key.category = .cell
          $0.key.indexPath.item = UInt32(index)
          $0.attributes.frame.y = Double(index) * 20
          $0.attributes.frame.width = 100
          $0.attributes.frame.height = 20
        }
      }
      return try #require(try mirror.apply(message))
    }

    /// Whether something that was in sight at `old` is where it was, seen from `new`.
    mutating func jumped(_ keys: [String], from old: Double, to new: Double) throws -> Bool {
      var change = try show(keys)
      change.offsetAdjustment = Point(x: 0, y: new - old)
      return stillness.jumped(to: mirror, at: Point(x: 0, y: new), change)
    }
  }

  private static let keys = (0 ..< 30).map { "k\($0)" }

  @Test("rows that come in above without an adjustment are a jump, with one they are none")
  func insertion() throws {
    var rows = try Rows(Self.keys)
    let more = ["new"] + Self.keys
    #expect(try rows.jumped(more, from: 100, to: 100))
    #expect(try !rows.jumped(["newer"] + more, from: 100, to: 120))
  }

  @Test("a row that stays is enough, whatever happens below it")
  func below() throws {
    var rows = try Rows(Self.keys)
    var keys = Self.keys
    keys.insert("new", at: 7)
    #expect(try !rows.jumped(keys, from: 100, to: 100))
  }

  @Test("nothing is said at the start, or about rows of which none was in sight before")
  func silence() throws {
    var rows = try Rows(Self.keys)
    #expect(try !rows.jumped(["new"] + Self.keys, from: 0, to: 0))
    #expect(try !rows.jumped((0 ..< 30).map { "other\($0)" }, from: 100, to: 100))
  }
}
