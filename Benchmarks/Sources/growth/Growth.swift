// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Workloads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How much longer operations take on ten million items than on ten thousand, measured by turns, so
/// that what else the machine does counts on both sides. With a number as argument, the large
/// collections have so many items; a word chooses subjects by how their names begin; with --check
/// it fails where something grows more than is committed.
@main
struct Growth {
  private static let smallCount = 10_000
  private let count: Int
  private let filter: String?
  /// The last large collection, for all subjects that have the same.
  private var contents: (dataset: Dataset, contents: CollectionContents)?
  private var isKept = true

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let words = arguments.filter { !$0.hasPrefix("-") }
    var growth = Growth(
      count: words.lazy.compactMap { Int($0) }.first ?? 10_000_000,
      filter: words.first { Int($0) == nil }
    )
    growth.printHead()
    for subject in Subject.all where growth.filter.map({ subject.name.hasPrefix($0) }) ?? true {
      try growth.measure(subject)
    }
    print("\nAt most: \(Operation.limits).\n\nMore, or in brackets and without limit, where")
    for reason in GrowthReason.allCases { print("- \(reason.rawValue)") }
    if arguments.contains("--check"), !growth.isKept { exit(1) }
  }

  private init(count: Int, filter: String?) {
    self.count = max(count, Self.smallCount)
    self.filter = filter
  }

  private func printHead() {
    print("Time on \(count) items over time on \(Self.smallCount); \"!\" = more than is committed.")
    print("\n| | \(Operation.all.map(\.name).joined(separator: " | ")) |")
    print("|---|\(Operation.all.map { _ in "--:" }.joined(separator: "|"))|")
  }

  private mutating func measure(_ subject: Subject) throws {
    let small = Stage(subject, count: Self.smallCount)
    let dataset = subject.dataset(of: count)
    let large = Stage(subject, dataset, contents: contents(of: dataset))
    var cells: [String] = []
    for operation in Operation.all {
      guard subject.has(operation, of: count) else {
        cells.append("–")
        continue
      }
      let limit = subject.growthLimit(of: operation)
      let growth = try Comparison(
        small.trial(of: operation),
        large.trial(of: operation)
      ).ratio
      let isWithin = growth <= limit ?? .infinity
      isKept = isKept && isWithin
      cells.append(limit == nil ? "(\(growth.text))" : growth.text + (isWithin ? "" : " !"))
    }
    defer { fflush(nil) }
    print("| \(subject.name) | \(cells.joined(separator: " | ")) |")
  }

  private mutating func contents(of dataset: Dataset) -> CollectionContents {
    if let contents, contents.dataset == dataset { return contents.contents }
    contents = nil
    let made = dataset.contents()
    contents = (dataset, made)
    return made
  }
}

extension Double {
  fileprivate var text: String {
    self >= 100 ? "\(Int(rounded()))" : "\((self * 10).rounded() / 10)"
  }
}
