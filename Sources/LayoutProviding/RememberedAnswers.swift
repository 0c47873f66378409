// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The most recently used answers, by cookie.
final class RememberedAnswers: Sendable {
  private struct Entry {
    var cookie: Data
    var answer: PlacedAnswer
  }

  /// The most items and elements of all answers together (`PlacedAnswer.keptCount`). One has some
  /// hundred bytes.
  private static let keptLimit = 8_000_000

  private let limit: Int
  /// In the order of their use, the newest last.
  private let entries = Mutex<[Entry]>([])

  /// - Parameter limit: the most answers.
  init(limit: Int) { self.limit = limit }

  /// Stores an answer.
  ///
  /// - Returns: its cookie; empty = it was not stored.
  func add(_ answer: PlacedAnswer) -> Data {
    guard limit > 0, answer.keptCount <= Self.keptLimit else { return Data() }
    let cookie = Data((0 ..< 16).map { _ in UInt8.random(in: .min ... .max) })
    let dropped = entries.withLock { entries in
      entries.append(Entry(cookie: cookie, answer: answer))
      var (count, total) = (0, 0)
      for entry in entries.reversed() {
        total += entry.answer.keptCount
        if count == limit || total > Self.keptLimit { break }
        count += 1
      }
      let dropped = entries.dropLast(count)
      entries = entries.suffix(count)
      return dropped
    }
    // Released outside the lock, since that may free much memory.
    withExtendedLifetime(dropped) {}
    return cookie
  }

  /// The answer of a layout with a cookie; nil = it is no longer stored.
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
