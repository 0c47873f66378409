// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("State checksum", .timeLimit(.minutes(2)))
struct StateChecksumTests {
  @Test(
    "mixes fields as the published vectors say",
    arguments: [
      ([1, 0, 0, 0, 0, 24960, 2816, 0], 0xebf9_30e9),
      ([1, 0, 1, 0, 2816, 24960, 2816, 0], 0x0f32_ec69),
      ([1, 0, 9_999_999, 0, 28_159_997_184, 24960, 2816, -1], 0xd6bc_6f3d),
    ] as [([Int64], UInt32)]
  )
  func vectors(fields: [Int64], expected: UInt32) {
    #expect(StateChecksum.hash(ofFields: fields) == expected)
  }

  @Test("hashes the fields of an element in their order")
  func fields() {
    let element = LayoutElement(
      category: .supplementary,
      kind: 7,
      indexPath: IndexPath(section: 3, item: 4),
      frame: Rect(x: 0.5, y: -1, width: 10, height: 20),
      zIndex: -2,
      alpha: 0.5,
      isHidden: true
    )
    let kind = StateChecksum.hash(ofKind: "header")
    #expect(
      StateChecksum.hash(of: element, kindHash: kind)
        == StateChecksum.hash(ofFields: [
          2, Int64(kind), 3, 5, 32, -64, 640, 1280, -2, 32768, 1,
        ])
    )
    #expect(
      StateChecksum.hash(of: element, kindHash: kind, unitsPerPoint: 192)
        == StateChecksum.hash(ofFields: [
          2, Int64(kind), 3, 5, 96, -192, 1920, 3840, -2, 32768, 1,
        ])
    )
  }

  @Test("a section's element counts as item 0")
  func sectionElement() {
    let element = LayoutElement(
      category: .decoration,
      kind: 0,
      indexPath: IndexPath(section: 1),
      frame: .zero
    )
    #expect(
      StateChecksum.hash(of: element, kindHash: 9)
        == StateChecksum.hash(ofFields: [3, 9, 1, 0, 0, 0, 0, 0, 0, 65535, 0])
    )
  }

  @Test("kinds hash by FNV-1a")
  func kinds() {
    #expect(StateChecksum.hash(ofKind: "") == 0x811c_9dc5)
    #expect(StateChecksum.hash(ofKind: "a") == 0xe40c_292c)
    #expect(StateChecksum.hash(ofKind: "foobar") == 0xbf9c_f968)
  }

  @Test("rounds edges, halves up, and derives lengths")
  func quantizing() {
    #expect(StateChecksum.quantized(1.0 / 128, 64) == 1)
    #expect(StateChecksum.quantized(-1.0 / 128, 64) == 0)
    #expect(StateChecksum.quantized(0.0078, 64) == 0)
    let element = LayoutElement(
      category: .cell,
      kind: 0,
      indexPath: IndexPath(section: 0, item: 0),
      frame: Rect(x: 1.0 / 3, y: 0, width: 1.0 / 3, height: 1)
    )
    // Edges 21.33 and 42.67 units: 21 and 43.
    #expect(
      StateChecksum.hash(of: element, kindHash: 0)
        == StateChecksum.hash(ofFields: [1, 0, 0, 1, 21, 0, 22, 64, 0, 65535, 0])
    )
  }

  @Test("never traps", arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func extremes(value: Double) {
    let element = LayoutElement(
      category: .cell,
      kind: 0,
      indexPath: IndexPath(section: 0, item: 0),
      frame: Rect(x: value, y: value, width: value, height: value),
      alpha: value
    )
    _ = StateChecksum.hash(of: element, kindHash: 0)
  }
}
