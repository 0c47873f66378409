// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// Viewers of one collection who share the sizes that they measure, with their owner.
struct SharedScenes {
  /// The collection's own.
  private(set) var contents: CollectionContents
  private(set) var version: UInt64 = 0
  var shared: SharedContents
  var scenes: [Scene] = []
  /// The outcome of the last report; nil = it offered nothing.
  private(set) var outcome: SharedOutcome?
  var room = 1 << 20

  init(
    _ count: Int,
    of contents: CollectionContents,
    layout: any CollectionLayout,
    size: Size = Size(width: 320, height: 480),
    options: SessionOptions = .init(anchorMode: .firstVisible)
  ) {
    self.contents = contents
    shared = SharedContents(
      contents,
      dataVersion: 0,
      isAveraged: layout.averagesMeasurements
    )
    for _ in 0 ..< count {
      var scene = Scene(contents, layout: layout, size: size, options: options, isShared: true)
      let results = scene.session.share(shared)
      #expect(results?.isEmpty == true)
      scene.settle()
      scenes.append(scene)
    }
  }

  /// Commits a batch, which nobody has followed yet.
  mutating func commit(_ operations: [UpdateOperation]) throws {
    let change = try contents.applying(UpdateBatch(operations))
    contents = change.new
    version += 1
    shared.follow(change, toVersion: version)
  }

  /// One viewer follows what happened, as far as it may.
  mutating func follow(_ index: Int) {
    let changes = shared.changes(since: scenes[index].session.sharedVersion)
    guard let changes else {
      scenes[index].messages += scenes[index].session.sharedReset(to: shared)
      return scenes[index].settle()
    }
    for change in changes {
      scenes[index].messages += scenes[index].session.sharedChanged(change)
    }
    scenes[index].settle()
  }

  mutating func followAll() {
    for index in scenes.indices { follow(index) }
  }

  /// One viewer measures cells that it has, by the keys of their items.
  mutating func measure(
    _ sizes: [(key: String, size: Size)],
    by index: Int,
    mayContribute: Bool = true,
    commits: Bool = true
  ) {
    follow(index)
    let known = Dictionary(scenes[index].client.slots.map { ($1.itemKey, $0) }) { $1 }
    let found = sizes.filter { known[$0.key] != nil }
    scenes[index].messages = []
    outcome = nil
    scenes[index].post(
      .measurements(
        MeasurementReport(
          observedFrame: scenes[index].client.lastApplied,
          slots: found.compactMap { known[$0.key] },
          sizes: found.map(\.size)
        )
      )
    )
    for case .share(let offer) in scenes[index].messages {
      let outcome = shared.offer(
        offer.sizes,
        at: scenes[index].session.sharedVersion,
        mayContribute: mayContribute,
        room: room
      )
      self.outcome = outcome
      scenes[index].messages += scenes[index].session.offered(offer, outcome, at: .zero)
    }
    if commits { shared.commit() }
    follow(index)
  }

  /// The sizes of all items that have one, by key.
  var sizes: [String: Size] {
    var sizes: [String: Size] = [:]
    for section in 0 ..< shared.contents.sectionCount {
      for item in 0 ..< shared.contents.section(at: section).items.count {
        let path = IndexPath(section: section, item: item)
        guard let key = shared.contents.key(at: path) else { continue }
        sizes[key] = shared.contents.size(of: .item(path))
      }
    }
    return sizes
  }
}
