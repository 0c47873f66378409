// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@Suite("Changes of candidates and sightings as messages", .timeLimit(.minutes(1)))
struct AttentionMessagesTests {
  private static let kilobytes16 = 16 << 10

  @Test("a change of candidates survives the way to the wire and back")
  func prefetch() throws {
    let change = PrefetchChange(
      isReset: true,
      dataVersion: 8,
      items: [
        .init(number: 3, key: .cell(1, 2, kind: "wide"), itemKey: "k"),
        .init(number: 9, key: .cell(0, 0)),
      ],
      shown: [1, 7],
      cancelled: [2]
    )
    let parts = Wire.PrefetchChange.parts(of: change, maxBytes: 4 << 20)
    #expect(parts.count == 1)
    let bytes: [UInt8] = try parts[0].serializedBytes()
    #expect(try PrefetchChange(Wire.PrefetchChange(serializedBytes: bytes)) == change)
    #expect(!parts[0].continued)
  }

  @Test("a change of sightings survives the way to the wire and back")
  func visibility() throws {
    let change = VisibilityChange(
      dataVersion: 8,
      began: [
        .init(
          number: 4,
          rule: 2,
          key: .supplementary("header", section: 3),
          slot: 7,
          seenFor: .milliseconds(1500)
        )
      ],
      ended: [.init(number: 1, seenFor: .seconds(61))]
    )
    let parts = Wire.VisibilityChange.parts(of: change, maxBytes: 4 << 20)
    #expect(parts.count == 1)
    let bytes: [UInt8] = try parts[0].serializedBytes()
    #expect(try VisibilityChange(Wire.VisibilityChange(serializedBytes: bytes)) == change)
  }

  @Test("changes that do not fit into one response come in parts that do")
  func parts() throws {
    let long = String(repeating: "k", count: 128)
    let numbers = (0 ..< 1000).map { UInt64.max - UInt64($0) }
    let items = numbers.map {
      PrefetchChange.Item(number: $0, key: .cell(1 << 30, 1 << 30, kind: long), itemKey: long)
    }
    let change = PrefetchChange(isReset: true, items: items, shown: numbers, cancelled: numbers)
    let parts = Wire.PrefetchChange.parts(of: change, maxBytes: Self.kilobytes16)
    #expect(parts.count > 10)
    for (index, part) in parts.enumerated() {
      let response = Wire.StreamLayoutResponse.with { $0.prefetch = part }
      #expect(try response.serializedData().count <= Self.kilobytes16)
      #expect(part.reset == (index == 0))
      #expect(part.continued == (index < parts.count - 1))
    }
    #expect(parts.flatMap(\.items).map(\.number) == numbers)
    #expect(parts.flatMap(\.shown) == numbers)
    #expect(parts.flatMap(\.cancelled) == numbers)
    let sightings = numbers.map {
      VisibilityChange.Sighting(
        number: $0,
        rule: 7,
        key: .cell(1 << 30, 1 << 30, kind: long),
        itemKey: long,
        slot: .max,
        seenFor: .seconds(1e9)
      )
    }
    let ends = numbers.map { VisibilityChange.End(number: $0, seenFor: .seconds(1e9)) }
    let seen = Wire.VisibilityChange.parts(
      of: VisibilityChange(began: sightings, ended: ends),
      maxBytes: Self.kilobytes16
    )
    for part in seen {
      let response = Wire.StreamLayoutResponse.with { $0.visibility = part }
      #expect(try response.serializedData().count <= Self.kilobytes16)
    }
    #expect(seen.flatMap(\.began).count == 1000)
    #expect(seen.flatMap(\.ended).count == 1000)
  }

  @Test("what a server sends that is no key is refused with its field")
  func faults() throws {
    let prefetch = try #require(throws: LayoutProblem.self) {
      try PrefetchChange(.with { $0.items = [.with { $0.key.category = .UNRECOGNIZED(8) }] })
    }
    #expect(prefetch.violations.map(\.field) == ["prefetch.items[0].key.category"])
    let visibility = try #require(throws: LayoutProblem.self) {
      try VisibilityChange(.with { $0.ended = [.with { $0.seenFor.seconds = -1 }] })
    }
    #expect(visibility.violations.map(\.field) == ["visibility.ended[0].seen_for"])
  }
}
