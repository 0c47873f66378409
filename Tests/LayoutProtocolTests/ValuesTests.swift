// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import SwiftProtobuf
import TestSupport
import Testing

@testable import LayoutProtocol

@Suite("Values", .timeLimit(.minutes(2)))
struct ValuesTests {
  @Test("geometry, keys and attributes survive the way to the wire and back", arguments: 0 ..< 100)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var reader = FieldReader()
    let (point, size, rect) = (random.point(), random.size(), random.rect())
    #expect(reader.point(Wire.Point(point), "p") == point)
    #expect(reader.size(Wire.Size(size), "s") == size)
    #expect(reader.rect(Wire.Rect(rect), "r") == rect)
    let insets = random.insets()
    #expect(reader.insets(Wire.EdgeInsets(insets), "i") == insets)
    let key = random.key()
    #expect(reader.elementKey(Wire.ElementKey(key), "k") == key)
    let attributes = random.attributes()
    let bytes: [UInt8] = try Wire.LayoutAttributes(attributes).serializedBytes()
    let message = try Wire.LayoutAttributes(serializedBytes: bytes)
    #expect(reader.attributes(message, "a") == attributes)
    let fields = random.customFields()
    #expect(reader.custom(Google_Protobuf_Struct(fields), "c", limits: .received) == fields)
    try reader.finish()
  }

  @Test("a transform has 6 or 16 numbers", arguments: [1, 5, 7, 15, 17])
  func transforms(count: Int) throws {
    var reader = FieldReader()
    let message = Wire.Transform.with { $0.values = Array(repeating: 1, count: count) }
    _ = reader.transform(message, "transform")
    #expect(reader.violations.map(\.field) == ["transform.values"])
  }

  @Test(
    "durations survive, and what protobuf does not know is refused",
    arguments: [
      Duration.zero, .nanoseconds(1), .milliseconds(33), .seconds(15), .seconds(315_576_000_000),
    ]
  )
  func durations(duration: Duration) throws {
    var reader = FieldReader()
    #expect(reader.duration(Google_Protobuf_Duration(duration), "d") == duration)
    try reader.finish()
    _ = reader.duration(.with { $0.seconds = .max }, "d")
    _ = reader.duration(.with { $0.nanos = 1_000_000_000 }, "d")
    #expect(reader.violations.count == 2)
  }

  @Test("custom values may nest, but not without end, and hold finite numbers only")
  func customLimits() {
    var value = CustomValue.number(1)
    for _ in 0 ..< 40 { value = .list([value]) }
    var reader = FieldReader()
    _ = reader.custom(Google_Protobuf_Struct(["a": value]), "custom", limits: .attributes)
    let notANumber = Google_Protobuf_Struct(["a": .number(.nan)])
    _ = reader.custom(notANumber, "parameters", limits: .parameters)
    #expect(reader.violations.map(\.field) == ["custom", "parameters"])
  }

  @Test("an index path may name the last possible item, and nothing beyond")
  func indexPaths() throws {
    var reader = FieldReader()
    let last = IndexPath(section: Int(UInt32.max) - 1, item: Int(UInt32.max) - 1)
    #expect(reader.indexPath(Wire.IndexPath(last), "p") == last)
    #expect(reader.isClean)
    _ = reader.indexPath(.with { $0.item = .max }, "p")
    let problem = try #require(throws: LayoutProblem.self) { try reader.finish() }
    #expect(problem.reason == .indexOutOfRange)
    #expect(problem.violations.map(\.field) == ["p.item"])
  }

  @Test("attributes that do not exist leave only the key")
  func missing() {
    let message = Wire.ElementAttributes(key: .cell(1, 2), attributes: nil)
    #expect(message.hasKey)
    #expect(!message.hasAttributes)
  }
}
