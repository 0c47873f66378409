// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import CollectionModel
import Foundation
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutProviding
import Synchronization
import Testing

@testable import layoutctl

@Suite("Checking providers", .timeLimit(.minutes(5)))
struct ProviderCheckTests {
  /// Checks a provider with one layout.
  ///
  /// - Returns: what is printed, and how many cases failed.
  private static func check(
    _ layout: ProvidedLayout,
    token: String = "",
    keep: Int = 8
  ) async throws -> (lines: [String], failures: Int) {
    let server = ProviderServer(token: token, keep: keep, [layout])
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      var options = try ProviderOptions.parse(["127.0.0.1:\(try await server.listeningPort)"])
      options.timeout = 60
      let result = try await options.connect { link in
        let lines = Mutex<[String]>([])
        var examination = ProviderExamination(link, parameters: [:]) { line in
          lines.withLock { $0.append(line) }
        }
        try await examination.run(only: nil)
        return (lines.withLock { $0 }, examination.failureCount)
      }
      group.cancelAll()
      return result
    }
  }

  /// The one of the guide, with a title for each section.
  private static let spiral = ProvidedLayout("spiral") { items, environment in
    let (size, middle) = (
      environment.number("size", otherwise: 20), environment.container.size.width / 2
    )
    guard size >= 0 else { throw ParameterFault("size: \(size) found; 0 or more is allowed") }
    var placed = items.placed { number, _ in
      let angle = (40 * Double(number)).squareRoot()
      let (x, y) = (middle + 3 * angle * cos(angle), middle + 3 * angle * sin(angle))
      return PlacedElement(x: x - size / 2, y: y - size / 2, width: size, height: size)
    }
    placed.contentSize = Size(width: 2 * middle, height: 2 * middle)
    placed.others = items.sections.indices.map { section in
      .init("title", PlacedElement(x: 0, y: 0, width: 10, height: 10), section: section)
    }
    return placed
  }

  @Test("a layout in Swift keeps all rules")
  func good() async throws {
    let (lines, failures) = try await Self.check(Self.spiral)
    #expect(failures == 0, "\(lines.filter { $0.hasPrefix("FAILED") })")
    #expect(lines.contains("kept       spiral  100,000 items"))
    for name in ["a change leads to the same places", "several changes lead to the same places"] {
      #expect(lines.contains("kept       spiral  \(name)"))
    }
  }

  @Test("who does not answer, or is no provider, is named")
  func nobody() async throws {
    let options = try ProviderOptions.parse(["127.0.0.1:1"])
    let fault = await #expect(throws: CommandFault.self) {
      try await options.connect { try await $0.layouts() }
    }
    #expect(fault?.message.hasPrefix("No provider listens at 127.0.0.1:1.") == true)
    #expect(fault?.status == .unavailable)
  }

  @Test("a layout that remembers nothing is asked for everything")
  func forgetful() async throws {
    let (lines, failures) = try await Self.check(Self.spiral, keep: 0)
    #expect(failures == 0, "\(lines.filter { $0.hasPrefix("FAILED") })")
    #expect(lines.contains { $0.hasPrefix("not tried  spiral  a change ") })
  }

  /// Cells for items whose width is not a multiple of 7, badges, and titles and backgrounds of
  /// sections with items.
  private static func packed(_ items: ItemsToPlace) -> PlacedItems {
    var placed = items.placed { _, item in
      let width = item.width ?? 0
      guard width == 0 || width.truncatingRemainder(dividingBy: 7) != 0 else { return nil }
      return PlacedElement(x: 3 * width, y: width, width: width, height: 5)
    }
    let mark = PlacedElement(x: 1, y: 1, width: 2, height: 2, zIndex: 3, alpha: 0.5)
    for item in items.items where item.index % 10 == 0 {
      placed.others.append(.init("badge", mark, section: item.section, item: item.index))
    }
    for (number, section) in items.sections.enumerated() where !section.items.isEmpty {
      placed.others.append(
        .init(
          "title \(section.items.count % 3)",
          mark,
          section: number,
          isDecoration: number % 2 == 1
        )
      )
    }
    placed.contentSize = Size(width: 1000, height: 1000)
    return placed
  }

  @Test("what changes move is what is placed anew, also where a layout updates by itself")
  func changes() async throws {
    let packed = ProvidedLayout("packed") { items, _ in Self.packed(items) }
    let updates = Mutex(0)
    let again = ProvidedLayout(
      "again",
      update: { items, _, before, was in
        updates.withLock { $0 += 1 }
        #expect(was.count == items.items.count)
        #expect(was.allSatisfy { $0.map { $0 < before.cells.count } ?? true })
        return Self.packed(items)
      },
      place: { items, _ in Self.packed(items) }
    )
    for layout in [packed, again] {
      let (lines, failures) = try await Self.check(layout)
      #expect(failures == 0, "\(lines.filter { $0.hasPrefix("FAILED") })")
      #expect(lines.contains("kept       \(layout.name)  several changes lead to the same places"))
    }
    #expect(updates.withLock { $0 } == 24)
  }

  @Test("a provider refuses more items than it takes")
  func tooManyItems() async throws {
    let server = ProviderServer(itemLimit: 10, [Self.spiral])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let options = try ProviderOptions.parse(["127.0.0.1:\(try await server.listeningPort)"])
      try await options.connect { link in
        var layout = Wire.ProvidedLayout()
        layout.name = "spiral"
        let trial = ProviderTrial(link: link, layout: layout, parameters: [:])
        for (counts, isTaken) in [([4, 6], true), ([4, 7], false)] {
          let outcome = await trial.outcome(
            of: ProviderCase(name: "\(counts)") { trial in
              _ = try await trial.prepare(ProviderCase.sections(counts))
              return .kept
            }
          )
          #expect((outcome == .kept) == isTaken)
          guard case .failed(let reason) = outcome else { continue }
          #expect(reason.contains("resourceExhausted: 11 items came; at most 10 are allowed"))
        }
      }
      group.cancelAll()
    }
  }

  @Test("what breaks a rule is named with field, value and what is allowed")
  func nonsense() async throws {
    let layout = ProvidedLayout("nonsense", maxItems: 500) { items, _ in
      items.placed { _, _ in PlacedElement(x: .nan, y: 0, width: 1, height: 1) }
    }
    let (lines, failures) = try await Self.check(layout)
    #expect(failures > 5)
    let fault = "xs of element 0: nan found; only -2^40 to 2^40 are allowed"
    #expect(lines.contains("FAILED     nonsense  one item: \(fault)"))
    #expect(lines.contains("kept       nonsense  no sections"))
  }

  @Test("a layout that answers the same call in several ways is found")
  func fickle() async throws {
    let count = Mutex(0.0)
    let layout = ProvidedLayout("fickle", maxItems: 1000) { items, _ in
      let x = count.withLock { count in
        count += 1
        return count
      }
      return items.placed { _, _ in PlacedElement(x: x, y: 0, width: 1, height: 1) }
    }
    let (lines, failures) = try await Self.check(layout)
    // Its changes do not lead to what is placed anew either.
    #expect(failures == 3)
    #expect(lines.contains { $0.hasPrefix("FAILED     fickle  equal answers to equal calls: ") })
    #expect(lines.contains { $0.hasPrefix("not tried  fickle  1,000 sections: ") })
  }

  @Test("what the data says of items and sections arrives")
  func items() async throws {
    let seen = Mutex<ItemsToPlace?>(nil)
    let layout = ProvidedLayout("seen", maxItems: 500) { items, _ in
      if items.items.count == 57 { seen.withLock { $0 = items } }
      return items.placed { _, _ in nil }
    }
    let (lines, failures) = try await Self.check(layout)
    #expect(failures == 0, "\(lines.filter { $0.hasPrefix("FAILED") })")
    let items = try #require(seen.withLock { $0 })
    #expect(items.sections.map(\.items) == [0 ..< 17, 17 ..< 17, 17 ..< 57])
    #expect(items.sections.map(\.key) == ["section 0", "section 1", "section 2"])
    let item = items.items[20]
    #expect((item.section, item.index) == (2, 3))
    #expect((item.width, item.height) == (21.5, 19))
    #expect((item.x, item.y) == (-147, -69))
    #expect((item.kind, item.key) == ("", "item 2.3"))
    #expect(items.items[1].kind == "photo")
  }

  @Test("an unencrypted provider that wants a token refuses who has none")
  func token() async throws {
    await #expect(throws: (any Error).self) {
      try await Self.check(Self.spiral, token: "secret")
    }
  }
}

@Suite("What changes keep", .timeLimit(.minutes(1)))
struct KeptItemsTests {
  private typealias Path = CollectionModel.IndexPath

  /// For each new item the old one with the same values, found one by one.
  private static func naive(_ change: ContentsChange) -> [Path: Path] {
    var found: [Path: Path] = [:]
    for section in 0 ..< change.new.sectionCount {
      for item in 0 ..< change.new.section(at: section).items.count {
        let path = Path(section: section, item: item)
        if change.isReconfigured(new: path) { continue }
        found[path] = change.oldIndexPath(ofNew: path)
      }
    }
    return found
  }

  private static func expanded(_ kept: KeptItems) -> [Path: Path] {
    var found: [Path: Path] = [:]
    for run in kept.runs {
      for offset in 0 ..< run.count {
        found[Path(rawValue: run.new.rawValue + UInt64(offset))] = Path(
          rawValue: run.old.rawValue + UInt64(offset)
        )
      }
    }
    return found
  }

  @Test("runs are the items that are found one by one", arguments: 1 ..< 40)
  func runs(_ seed: Int) throws {
    var edits = RandomChanges(seed: UInt64(seed))
    var contents = ProviderCase.various
    var all: KeptItems?
    var naive: [Path: Path] = [:]
    for _ in 0 ..< 6 {
      let change = try edits.next(contents)
      let kept = KeptItems(change)
      let step = Self.naive(change)
      #expect(Self.expanded(kept) == step)
      #expect(
        kept.sections
          == (0 ..< change.new.sectionCount).map {
            change.oldIndexPath(ofNew: Path(section: $0))?.section
          }
      )
      naive = all == nil ? step : step.compactMapValues { naive[$0] }
      all = all?.followed(by: kept) ?? kept
      #expect(Self.expanded(try #require(all)) == naive)
      contents = change.new
    }
  }
}
