// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The answers that were used last, by their cookies.
final class RememberedAnswers: Sendable {
  private struct Entry {
    var cookie: Data
    var answer: PlacedAnswer
  }

  /// The elements of all answers together.
  private static let elementLimit = 4_000_000

  private let limit: Int
  /// In the order of their use, the last one last.
  private let entries = Mutex<[Entry]>([])

  /// - Parameter limit: how many are remembered.
  init(limit: Int) { self.limit = limit }

  /// Remembers an answer.
  ///
  /// - Returns: its cookie; empty = it is not remembered.
  func add(_ answer: PlacedAnswer) -> Data {
    guard limit > 0, answer.elementCount <= Self.elementLimit else { return Data() }
    let cookie = Data((0 ..< 16).map { _ in UInt8.random(in: .min ... .max) })
    let dropped = entries.withLock { entries in
      entries.append(Entry(cookie: cookie, answer: answer))
      var (count, total) = (0, 0)
      for entry in entries.reversed() {
        total += entry.answer.elementCount
        if count == limit || total > Self.elementLimit { break }
        count += 1
      }
      let dropped = entries.dropLast(count)
      entries = entries.suffix(count)
      return dropped
    }
    // Outside of the lock, since that may free much memory.
    withExtendedLifetime(dropped) {}
    return cookie
  }

  /// What a layout answered with a cookie; nil = it is not remembered any more.
  func answer(_ cookie: Data, of layout: String) -> PlacedAnswer? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.cookie == cookie }),
        entries[index].answer.layout == layout
      else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.answer
    }
  }
}
