// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutProtocol

/// Rules for providers that place only what changes moved.
extension ProviderCase {
  static let changes = ProviderCase(name: "a change leads to the same places") { trial in
    try await follow(trial, changesAtOnce: 1)
  }

  static let severalChanges = ProviderCase(name: "several changes lead to the same places") {
    trial in
    try await follow(trial, changesAtOnce: 3)
  }

  static let foreignCookie = ProviderCase(name: "a cookie that it did not give") { trial in
    let first = try await trial.prepare(various)
    guard !first.cookie.isEmpty else { return .notTried(noCookies) }
    let change = ContentsChange.replacement(of: various, with: sections([2]))
    let call = trial.call(change.new, container)
    do {
      _ = try await Deadline.limit(trial.link.patience) {
        try await call.update(
          trial.link.connection,
          from: first,
          KeptItems(change),
          cookie: [0, 255, 7]
        )
      }
    } catch is RPCError { return .kept }
    return .failed("status is OK; FAILED_PRECONDITION is allowed")
  }

  private static let noCookies = "it gives no cookies, so every change is a full placement"

  private static func update(
    _ trial: ProviderTrial,
    _ call: PlacementCall,
    from base: Placement,
    _ kept: KeptItems
  ) async throws -> Placement {
    try await Deadline.limit(trial.link.patience) {
      try await call.update(trial.link.connection, from: base, kept)
    }
  }

  private static func follow(
    _ trial: ProviderTrial,
    changesAtOnce: Int
  ) async throws -> ProviderExamination.Outcome {
    guard trial.places(400) else {
      return .notTried("it places at most \(trial.layout.maxItems) items")
    }
    var edits = RandomChanges(seed: 7)
    var contents = various
    var base = try await trial.prepare(contents)
    guard !base.cookie.isEmpty else { return .notTried(noCookies) }
    for _ in 0 ..< 12 {
      let first = try edits.next(contents)
      var kept = KeptItems(first)
      contents = first.new
      for _ in 1 ..< changesAtOnce {
        let next = try edits.next(contents)
        kept = kept.followed(by: KeptItems(next))
        contents = next.new
      }
      let call = trial.call(contents, container)
      let updated: Placement
      do { updated = try await update(trial, call, from: base, kept) } catch let error as RPCError
        where error.code == .unimplemented
      {
        return .notTried("it has no UpdatePlacement")
      }
      let full = try await trial.prepare(contents)
      if let fault = updated.difference(from: full) { throw fault }
      base = updated.cookie.isEmpty ? full : updated
    }
    return .kept
  }
}

/// Random changes of contents, reproducible by a seed.
struct RandomChanges {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next(_ contents: CollectionContents) throws -> ContentsChange {
    try contents.applying(UpdateBatch([operation(contents)]))
  }

  private mutating func random(_ bound: Int) -> Int {
    Int.random(in: 0 ..< max(1, bound), using: &generator)
  }

  private mutating func operation(_ contents: CollectionContents) -> UpdateOperation {
    let section = random(contents.sectionCount)
    let count = contents.sectionCount == 0 ? 0 : contents.section(at: section).items.count
    switch random(10) {
    case _ where contents.sectionCount == 0, 0:
      let added = SectionContents(key: "new \(random(1 << 40))", blocks: [block(3)])
      return .insertSections(at: random(contents.sectionCount + 1), [added])
    case 1 where contents.sectionCount > 2: return .deleteSections(section ..< section + 1)
    case 2: return .moveSection(from: section, to: random(contents.sectionCount))
    case 3 ... 5 where count > 0:
      let first = random(count)
      return .deleteItems(section: section, items: first ..< min(count, first + 1 + random(4)))
    case 6 where count > 0:
      let target = IndexPath(section: section, item: random(count))
      return .moveItem(from: IndexPath(section: section, item: random(count)), to: target)
    case 7 where count > 0:
      let first = random(count)
      let range = first ..< min(count, first + 2)
      let sizes = ItemBlock(count: range.count, widths: [Double(10 + random(80))])
      return .reconfigureItems(section: section, items: range, blocks: [sizes])
    default:
      let place = IndexPath(section: section, item: random(count + 1))
      return .insertItems(at: place, items: [block(1 + random(4))])
    }
  }

  private mutating func block(_ count: Int) -> ItemBlock {
    ItemBlock(
      count: count,
      widths: (0 ..< count).map { _ in Double(random(90)) },
      heights: [Double(random(70))],
      cellKinds: [random(3)],
      keys: (0 ..< count).map { _ in "new \(random(1 << 50))" }
    )
  }
}
