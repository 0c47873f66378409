// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutClient
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Synchronization
import TestSupport

/// What everybody saw of one collection while connections broke.
struct History: Sendable {
  /// An edit whose maker was told the version that it led to.
  struct Edit: Sendable {
    var version: UInt64
    var change: Change
    /// Whether it was told that an earlier attempt had been made already.
    var isDuplicate: Bool
  }

  /// What a viewer had after a frame.
  struct Sight: Sendable {
    var viewer: Int
    var session: String
    var frame: UInt64
    var dataVersion: UInt64
    var isKeyframe: Bool
    var mirror: ElementMirror
  }

  /// A bookmark: the version that a viewer was told to have, at least.
  struct Bookmark: Sendable {
    var viewer: Int
    var dataVersion: UInt64
    /// How many frames all viewers had seen.
    var position: Int
  }

  var edits: [Edit] = []
  /// The newest version that an edit led to.
  var newest: UInt64 = 0
  var sights: [Sight] = []
  var bookmarks: [Bookmark] = []
  /// Batches in the order in which the watcher got them, across its calls.
  var watched: [UInt64] = []
  /// Of viewers and of the watcher.
  var reconnects = 0
  var resets = 0
  var faults: [String] = []
}

/// Gathers a history from many tasks.
final class Recorder: Sendable {
  private let state = Mutex(History())
  /// Sent after each note.
  let changes = ChangeSignal()

  func record(_ note: (inout History) -> Void) {
    state.withLock { note(&$0) }
    changes.send()
  }

  /// Frames and bookmarks of all viewers.
  var noteCount: Int { state.withLock { $0.sights.count + $0.bookmarks.count } }

  /// To be read at the end: a copy that is held makes the next note copy everything.
  var history: History { state.withLock { $0 } }

  /// The newest version that an edit led to.
  var newest: UInt64 { state.withLock { $0.newest } }

  /// The newest version that the watcher got.
  var watched: UInt64 { state.withLock { $0.watched.last ?? 0 } }
}

/// Edits that can be made whatever the others did before, as long as there are items.
enum Change: Hashable, Sendable {
  /// Two items at the start and one further on, in one batch: all or none.
  case insert(keys: [String], heights: [Double])
  case deleteFirst
  case move(from: Int, to: Int)
  case resize(item: Int, height: Double)

  static func random(_ number: Int, of maker: String, using random: inout SplitMix64) -> Change {
    switch Int.random(in: 0 ..< 10, using: &random) {
    case 0 ..< 3:
      .insert(
        keys: (0 ..< 3).map { "\(maker)-\(number)-\($0)" },
        heights: (0 ..< 3).map { _ in Double(Int.random(in: 5 ... 40, using: &random)) }
      )
    case 3 ..< 6: .deleteFirst
    case 6 ..< 8:
      .move(
        from: Int.random(in: 0 ..< 40, using: &random),
        to: Int.random(in: 0 ..< 40, using: &random)
      )
    default:
      .resize(
        item: Int.random(in: 0 ..< 40, using: &random),
        height: Double(Int.random(in: 5 ... 40, using: &random))
      )
    }
  }

  var batch: Wire.UpdateBatch {
    var batch = Wire.UpdateBatch()
    switch self {
    case .insert(let keys, let heights):
      batch.operations.operations = [
        Self.insertion(at: 0, keys[0 ..< 2], heights[0 ..< 2]),
        Self.insertion(at: 7, keys[2 ..< 3], heights[2 ..< 3]),
      ]
    case .deleteFirst:
      batch.operations.operations = [.with { $0.deleteItems = .with { $0.itemCount = 1 } }]
    case .move(let from, let to):
      batch.operations.operations = [
        .with {
          $0.moveItem.from.item = UInt32(from)
          $0.moveItem.to.item = UInt32(to)
        }
      ]
    case .resize(let item, let height):
      batch.operations.operations = [
        .with {
          $0.reconfigureItems.range.firstItem = UInt32(item)
          $0.reconfigureItems.range.itemCount = 1
          $0.reconfigureItems.blocks = [
            .with {
              $0.count = 1
              $0.heights = [height]
            }
          ]
        }
      ]
    }
    return batch
  }

  private static func insertion(
    at item: Int,
    _ keys: ArraySlice<String>,
    _ heights: ArraySlice<Double>
  ) -> Wire.UpdateOperation {
    .with {
      $0.insertItems.at.item = UInt32(item)
      $0.insertItems.blocks = [
        .with {
          $0.count = UInt32(keys.count)
          $0.keys = Array(keys)
          $0.heights = Array(heights)
        }
      ]
    }
  }
}

/// The collection as it must be, worked out as plainly as can be.
struct ModelRows {
  struct Row: Hashable {
    var key: String
    var height: Double
  }

  var rows: [Row]

  init(count: Int, height: Double) {
    rows = (0 ..< count).map { Row(key: "r\($0)", height: height) }
  }

  mutating func apply(_ change: Change) {
    switch change {
    case .insert(let keys, let heights):
      for (index, place) in [0, 1, 7].enumerated() {
        rows.insert(Row(key: keys[index], height: heights[index]), at: place)
      }
    case .deleteFirst: rows.removeFirst()
    case .move(let from, let to): rows.insert(rows.remove(at: from), at: to)
    case .resize(let item, let height): rows[item].height = height
    }
  }
}
