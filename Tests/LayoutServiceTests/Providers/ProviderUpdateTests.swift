// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Updates of providers' layouts", .timeLimit(.minutes(2)))
struct ProviderUpdateTests {
  /// The widths of a collection's items, kept beside the server.
  private struct Model {
    var sections: [[Double]]
    var next = 1000.0
    var random: SplitMix64

    mutating func number(_ bound: Int) -> Int {
      Int.random(in: 0 ..< max(1, bound), using: &random)
    }

    mutating func block(_ count: Int) -> (widths: [Double], block: Wire.ItemBlock) {
      let widths = (0 ..< count).map { next + Double($0) }
      next += Double(count)
      return (
        widths,
        .with {
          $0.count = UInt32(count)
          $0.widths = widths
        }
      )
    }

    /// One change, which is made here at once.
    mutating func edit() -> Wire.UpdateOperation {
      let section = number(sections.count)
      let count = sections[section].count
      switch number(6) {
      case 0 where sections.count > 2:
        sections.remove(at: section)
        return .with {
          $0.deleteSections.firstSection = UInt32(section)
          $0.deleteSections.sectionCount = 1
        }
      case 1:
        let (widths, block) = block(3)
        sections.insert(widths, at: section)
        return .with {
          $0.insertSections.at = UInt32(section)
          $0.insertSections.sections = [.with { $0.blocks = [block] }]
        }
      case 2 where count > 0:
        sections[section].removeAll()
        return .with {
          $0.deleteItems.section = UInt32(section)
          $0.deleteItems.itemCount = UInt32(count)
        }
      case 3 where count > 0:
        let (from, to) = (number(count), number(count))
        sections[section].insert(sections[section].remove(at: from), at: to)
        return .with {
          ($0.moveItem.from.section, $0.moveItem.from.item) = (UInt32(section), UInt32(from))
          ($0.moveItem.to.section, $0.moveItem.to.item) = (UInt32(section), UInt32(to))
        }
      default:
        let (item, added) = (number(count + 1), block(1 + number(4)))
        sections[section].insert(contentsOf: added.widths, at: item)
        return .with {
          ($0.insertItems.at.section, $0.insertItems.at.item) = (UInt32(section), UInt32(item))
          $0.insertItems.blocks = [added.block]
        }
      }
    }
  }

  private static func withKeyed(
    _ provider: UpdatingProvider,
    _ body: @Sendable @escaping (Clients) async throws -> Void
  ) async throws {
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port, layouts: ["keyed"]) { clients in
        try await body(clients)
      }
    }
  }

  private static func create(_ clients: Clients, _ model: Model) async throws {
    _ = try await clients.collections.createCollection(
      .with {
        $0.collectionID = "a"
        $0.contents.sections = model.sections.map { widths in
          .with { section in
            guard !widths.isEmpty else { return }
            section.blocks = [
              .with {
                $0.count = UInt32(widths.count)
                $0.widths = widths
              }
            ]
          }
        }
      }
    )
  }

  private static func apply(_ clients: Clients, _ operation: Wire.UpdateOperation) async throws {
    _ = try await clients.collections.applyUpdates(
      .with {
        $0.name = "collections/a"
        $0.batch.operations.operations = [operation]
      }
    )
  }

  /// What there is, as section, item, x and width, sorted.
  private static func elements(_ clients: Clients) async throws -> [[Double]] {
    try await clients.queries.queryElements(
      .with {
        $0.target.collection = "collections/a"
        $0.target.layout.custom.name = "keyed"
        $0.target.viewport.size.width = 100
        $0.target.viewport.size.height = 200
        $0.pageSize = 20_000
      }
    ).elements.map { element in
      let frame = element.attributes.frame
      let path = element.key.indexPath
      let item = path.hasItem ? Double(path.item) : -1
      return [Double(path.section), item, frame.x, frame.width]
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func expected(_ model: Model) -> [[Double]] {
    let all = UpdatingProvider.elements(model.sections)
    return (0 ..< Int(all.count)).map {
      [Double(all.sections[$0]), Double(all.items[$0]), all.xs[$0], all.widths[$0]]
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func model(seed: UInt64) -> Model {
    Model(
      sections: [(0 ..< 300).map { Double($0) }, [], (0 ..< 50).map { Double(400 + $0) }],
      random: SplitMix64(seed: seed)
    )
  }

  @Test("many changes lead to what is prepared anew, and only what they moved is sent")
  func equal() async throws {
    let provider = UpdatingProvider()
    try await Self.withKeyed(provider) { clients in
      var model = Self.model(seed: 5)
      try await Self.create(clients, model)
      #expect(try await Self.elements(clients) == Self.expected(model))
      for step in 0 ..< 60 {
        try await Self.apply(clients, model.edit())
        // Sometimes several changes are one update.
        if step % 3 != 1 {
          let found = try await Self.elements(clients)
          #expect(found == Self.expected(model), "step \(step)")
        }
      }
      #expect(provider.counts.prepared == 1)
      #expect(provider.counts.updated == 40)
      #expect(provider.counts.sent < 352 + 60 * 12)
    }
  }

  @Test(
    "a provider that cannot place a change is asked for everything",
    arguments: UpdatingProvider.Manner.allCases.filter { $0 != .good }
  )
  func fallback(_ manner: UpdatingProvider.Manner) async throws {
    let provider = UpdatingProvider()
    provider.manner = manner
    try await Self.withKeyed(provider) { clients in
      var model = Self.model(seed: 1)
      try await Self.create(clients, model)
      #expect(try await Self.elements(clients) == Self.expected(model))
      let added = model.block(2)
      model.sections.insert(added.widths, at: 0)
      for _ in 0 ..< 2 {
        try await Self.apply(
          clients,
          .with {
            $0.insertSections.at = 0
            $0.insertSections.sections = [.with { $0.blocks = [added.block] }]
          }
        )
        #expect(try await Self.elements(clients) == Self.expected(model))
        model.sections.insert(added.widths, at: 0)
      }
      #expect(provider.counts.prepared == 3)
      #expect(provider.counts.updated == (manner == .refuses ? 1 : 2))
    }
  }
}
