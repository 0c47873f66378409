// SPDX-License-Identifier: Apache-2.0

@testable import CollectionModel

/// The parts of the shared cases' JSON that these tests read.
struct SharedSuite: Decodable {
  var cases: [Case]

  struct Case: Decodable {
    var id: String
    var batch: Body?
    var expect: Expectation
  }

  struct Body: Decodable {
    var before: SharedContents
    var batch: SharedBatch?
    var batches: [SharedBatch]?
  }

  struct Expectation: Decodable {
    var after: [SharedSection]?
    var problem: Problem?
  }

  struct Problem: Decodable {
    var reason: OneOrMore?
  }

  enum OneOrMore: Decodable, Equatable {
    case one(String)
    case more([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let one = try? container.decode(String.self) {
        self = .one(one)
      } else {
        self = .more(try container.decode([String].self))
      }
    }

    func allows(_ reason: String) -> Bool {
      switch self {
      case .one(let only): only == reason
      case .more(let all): all.contains(reason)
      }
    }
  }
}

/// [section key, [item keys]]
struct SharedSection: Decodable, Equatable {
  var key: String
  var items: [String]

  init(key: String, items: [String]) {
    self.key = key
    self.items = items
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    key = try container.decode(String.self)
    items = try container.decode([String].self)
  }
}

struct SharedContents: Decodable {
  var sections: [Section]?
  var cellKindNames: [String]?

  struct Section: Decodable {
    var key: String?
    var blocks: [Block]?

    var value: SectionBlocks {
      SectionBlocks(key: key ?? "", blocks: (blocks ?? []).map(\.value))
    }
  }

  struct Block: Decodable {
    var count: Int?
    var widths: [Double]?
    var heights: [Double]?
    var keys: [String]?

    var value: ItemBlock {
      ItemBlock(
        count: count ?? 0,
        widths: widths ?? [],
        heights: heights ?? [],
        keys: keys ?? []
      )
    }
  }

  func contents() throws(Refusal) -> CollectionContents {
    try CollectionContents(
      validating: (sections ?? []).map(\.value),
      cellKindNames: cellKindNames ?? []
    )
  }
}

struct SharedBatch: Decodable {
  var operations: Operations?
  var snapshot: Snapshot?
  var expectedDataVersion: Int?

  struct Operations: Decodable { var operations: [Operation]? }

  struct Snapshot: Decodable {
    var contents: SharedContents
    var reloadedItemKeys: [String]?
    var reconfiguredItemKeys: [String]?
  }

  struct Place: Decodable {
    var section: Int?
    var item: Int?
    var firstItem: Int?
    var itemCount: Int?

    var path: IndexPath { IndexPath(section: section ?? 0, item: item ?? 0) }
    var range: Range<Int> { (firstItem ?? 0) ..< (firstItem ?? 0) + (itemCount ?? 0) }
  }

  struct Operation: Decodable {
    var insertItems: Insert?
    var deleteItems: Place?
    var moveItem: Move?
    var reloadItems: Replace?
    var reconfigureItems: Replace?
    var insertSections: InsertSections?
    var deleteSections: Sections?
    var moveSection: MoveSection?
    var reloadSection: ReplaceSection?

    struct Insert: Decodable {
      var at: Place
      var blocks: [SharedContents.Block]?
    }
    struct Move: Decodable {
      var from: Place
      var to: Place
    }
    struct Replace: Decodable {
      var range: Place
      var blocks: [SharedContents.Block]?
    }
    struct InsertSections: Decodable {
      var at: Int?
      var sections: [SharedContents.Section]?
    }
    struct Sections: Decodable {
      var firstSection: Int?
      var sectionCount: Int?
    }
    struct MoveSection: Decodable {
      var from: Int?
      var to: Int?
    }
    struct ReplaceSection: Decodable {
      var section: Int?
      var contents: SharedContents.Section
    }

    func value() throws(Refusal) -> UpdateOperation? {
      if let insertItems {
        return .insertItems(
          at: insertItems.at.path,
          items: (insertItems.blocks ?? []).map(\.value)
        )
      }
      if let deleteItems {
        return .deleteItems(section: deleteItems.section ?? 0, items: deleteItems.range)
      }
      if let moveItem { return .moveItem(from: moveItem.from.path, to: moveItem.to.path) }
      if let reloadItems {
        return .reloadItems(
          section: reloadItems.range.section ?? 0,
          items: reloadItems.range.range,
          blocks: (reloadItems.blocks ?? []).map(\.value)
        )
      }
      if let reconfigureItems {
        return .reconfigureItems(
          section: reconfigureItems.range.section ?? 0,
          items: reconfigureItems.range.range,
          blocks: (reconfigureItems.blocks ?? []).map(\.value)
        )
      }
      if let insertSections {
        var sections: [SectionContents] = []
        for section in insertSections.sections ?? [] {
          sections.append(try section.value.validated())
        }
        return .insertSections(at: insertSections.at ?? 0, sections)
      }
      if let deleteSections {
        let first = deleteSections.firstSection ?? 0
        return .deleteSections(first ..< first + (deleteSections.sectionCount ?? 0))
      }
      if let moveSection {
        return .moveSection(from: moveSection.from ?? 0, to: moveSection.to ?? 0)
      }
      if let reloadSection {
        return .reloadSection(
          reloadSection.section ?? 0,
          try reloadSection.contents.value.validated()
        )
      }
      return nil
    }
  }

  func value(for contents: CollectionContents) throws(Refusal) -> UpdateBatch? {
    if let snapshot {
      return UpdateBatch(
        change: .snapshot(
          SnapshotUpdate(
            contents: try snapshot.contents.contents(),
            reloadedItemKeys: snapshot.reloadedItemKeys ?? [],
            reconfiguredItemKeys: snapshot.reconfiguredItemKeys ?? []
          )
        )
      )
    }
    guard let operations else { return nil }
    var values: [UpdateOperation] = []
    for operation in operations.operations ?? [] {
      if let value = try operation.value() { values.append(value) }
    }
    return UpdateBatch(values)
  }
}
