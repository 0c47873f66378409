// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import Testing

@testable import layoutctl

@Suite("Watch", .timeLimit(.minutes(2)))
struct WatchTests {
  private static func attributes(x: Double, alpha: Double = 1) -> LayoutAttributes {
    LayoutAttributes(frame: Rect(x: x, y: 0, width: 10, height: 10), alpha: alpha)
  }

  @Test("finds elements that are missing, superfluous or different")
  func differences() {
    let mirrored = [
      MirroredElement(slot: 0, key: .cell(0, 0), attributes: Self.attributes(x: 0)),
      MirroredElement(slot: 1, key: .cell(0, 1), attributes: Self.attributes(x: 20)),
      MirroredElement(slot: 2, key: .cell(0, 2), attributes: Self.attributes(x: 40)),
    ]
    let expected = [
      ShownElement(key: .cell(0, 0), attributes: Self.attributes(x: 0)),
      ShownElement(key: .cell(0, 1), attributes: Self.attributes(x: 21)),
      ShownElement(key: .cell(0, 3), attributes: Self.attributes(x: 60)),
    ]
    let comparison = MirrorComparison(encoding: .messages, unitsPerPoint: 64)
    #expect(
      comparison.differences(mirrored: mirrored, expected: expected) == [
        "cell 0.1: frame 20,0,10,10 instead of 21,0,10,10",
        "cell 0.2: in the mirror but not in the answer",
        "cell 0.3: in the answer but not in the mirror",
      ]
    )
    #expect(
      comparison.differences(mirrored: mirrored, expected: expected, limit: 1).count == 1
    )
  }

  @Test("allows half a unit where elements travel in units, and nothing where they do not")
  func tolerance() {
    let mirrored = [MirroredElement(slot: 0, key: .cell(0, 0), attributes: Self.attributes(x: 1))]
    func isRight(_ encoding: ElementTransport, off distance: Double) -> Bool {
      MirrorComparison(encoding: encoding, unitsPerPoint: 64).differences(
        mirrored: mirrored,
        expected: [ShownElement(key: .cell(0, 0), attributes: Self.attributes(x: 1 + distance))]
      ).isEmpty
    }
    #expect(isRight(.packed, off: 1 / 128))
    #expect(!isRight(.packed, off: 1.1 / 128))
    #expect(isRight(.messages, off: 0))
    #expect(!isRight(.messages, off: 1e-6))
  }

  @Test("random edits keep to what there is, and are the same for the same seed")
  func edits() throws {
    let sample = ImportedItem(width: 100, height: 120, key: "k")
    func edits() -> RandomEdits {
      RandomEdits(
        sections: [.init(count: 5, sample: sample), .init(count: 0, sample: sample)],
        seed: 3,
        keyPrefix: "new"
      )
    }
    var first = edits()
    var second = edits()
    var counts = [5, 0]
    var keys: Set<String> = []
    for _ in 0 ..< 2000 {
      let next = first.next()
      let edit = try #require(next)
      let other = second.next()
      #expect(edit.operation == other?.operation)
      switch edit.operation.operation {
      case .insertItems(let insert):
        let section = Int(insert.at.section)
        #expect(Int(insert.at.item) <= counts[section])
        counts[section] += insert.blocks.reduce(0) { $0 + Int($1.count) }
        for key in insert.blocks.flatMap(\.keys) { #expect(keys.insert(key).inserted) }
      case .deleteItems(let range):
        #expect(range.firstItem + range.itemCount <= counts[Int(range.section)])
        counts[Int(range.section)] -= Int(range.itemCount)
      case .moveItem(let move):
        #expect(Int(move.from.item) < counts[Int(move.from.section)])
        counts[Int(move.from.section)] -= 1
        #expect(Int(move.to.item) <= counts[Int(move.to.section)])
        counts[Int(move.to.section)] += 1
      case .reloadItems(let items), .reconfigureItems(let items):
        #expect(items.range.firstItem + items.range.itemCount <= counts[Int(items.range.section)])
        #expect(items.blocks.reduce(0) { $0 + $1.count } == items.range.itemCount)
      default: Issue.record("\(edit.summary)")
      }
      #expect(first.sections.map(\.count) == counts)
    }
    var near = RandomEdits(
      sections: [.init(count: 9, sample: sample), .init(count: 1000, sample: sample)],
      seed: 4,
      keyPrefix: "near",
      near: IndexPath(section: 1, item: 500)
    )
    for _ in 0 ..< 200 {
      let next = near.next()
      let places = try #require(next).summary.split { !$0.isNumber && $0 != "." }
        .filter { $0.contains(".") }
      #expect(!places.isEmpty)
      for place in places {
        let numbers = place.split(separator: ".").compactMap { Int($0) }
        #expect(numbers[0] == 1 && (480 ... 520).contains(numbers[1]))
      }
    }
    var none = RandomEdits(sections: [], seed: 1, keyPrefix: "")
    let nothing = none.next()
    #expect(nothing == nil)
  }

  @Test("every picture of the gallery has a name of its own and a layout that can be read")
  func gallery() throws {
    let pictures = PictureGroup.all.flatMap(\.pictures)
    #expect(Set(pictures.map(\.name)).count == pictures.count)
    for picture in pictures {
      #expect(try !picture.target().layout.kindName.isEmpty, "\(picture.name)")
    }
    let kinds = try Set(pictures.map { try $0.target().layout.kindName })
    #expect(kinds == Set(LayoutArgument.names + ["compositional", "sections", "responsive"]))
  }
}
