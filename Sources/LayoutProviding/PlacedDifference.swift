// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// The elements that a change moved.
struct PlacedDifference {
  /// Elements that are new, or differ from before.
  private(set) var placed = PlacedAnswer.Elements()
  /// Elements that are gone although their items or sections still exist.
  private(set) var removed = PlacedAnswer.Elements()

  /// Identifies an element that is not a cell.
  private struct Place: Hashable {
    var kind: String
    var section: Int
    var item: Int?
    var isDecoration: Bool

    init(_ other: PlacedItems.Other) {
      (kind, section, item) = (other.kind, other.section, other.item)
      isDecoration = other.isDecoration
    }
  }

  /// - Parameters:
  ///   - before: the answer before the change.
  ///   - reader: maps items and sections to their numbers before the change.
  init(_ answer: PlacedAnswer, _ before: PlacedAnswer, _ reader: ItemsReader) {
    for (number, was) in reader.was.enumerated() {
      let now = answer.placed.cells[number]
      let then = was.flatMap { before.placed.cells[$0] }
      guard now != then else { continue }
      if now == nil { removed.cells.append(number) } else { placed.cells.append(number) }
    }
    let stays = Self.staying(answer, before, reader)
    var found: Set<Place> = []
    for other in answer.placed.others {
      let place = Place(other)
      found.insert(place)
      if stays[place]?.element != other.element { placed.others.append(other) }
    }
    removed.others = stays.filter { !found.contains($0.key) }.map(\.value)
  }

  /// The earlier elements other than cells that stay unless they are replaced, under their present
  /// items and sections.
  private static func staying(
    _ answer: PlacedAnswer,
    _ before: PlacedAnswer,
    _ reader: ItemsReader
  ) -> [Place: PlacedItems.Other] {
    guard !before.placed.others.isEmpty else { return [:] }
    var sections: [Int: Int] = [:]
    for (now, was) in reader.sectionsWere.enumerated() { if let was { sections[was] = now } }
    var numbers: [Int: Int] = [:]
    for (now, was) in reader.was.enumerated() { if let was { numbers[was] = now } }
    var stays: [Place: PlacedItems.Other] = [:]
    for var other in before.placed.others {
      if let item = other.item {
        guard before.items.sections.indices.contains(other.section),
          let now = numbers[before.items.sections[other.section].items.lowerBound + item]
        else { continue }
        other.section = answer.items.items[now].section
        other.item = answer.items.items[now].index
      } else {
        guard let now = sections[other.section] else { continue }
        other.section = now
      }
      stays[Place(other)] = other
    }
    return stays
  }
}
