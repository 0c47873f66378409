// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Many sections, solved by two threads while a second one is lent.
extension SectionSolver {
  /// With fewer items it does not pay to wake a second thread.
  private static var leastItems: Int { 1 << 18 }
  /// The number of items in the sections of one part, unless these are larger.
  private static var partItems: Int { 1 << 16 }

  /// The nodes of the sections in a range, as `solve(_:of:keeping:)` makes them. If a second thread
  /// is lent, it solves some of them ahead.
  ///
  /// Only neighbours at the bounds of parts may be alike without sharing one result.
  mutating func solveInParts(
    _ range: Range<Int>,
    of contents: CollectionContents
  ) -> [SectionNode] {
    let ranges = work.mayBeAssisted ? Self.parts(of: range, in: contents) : [range]
    guard ranges.count > 1 else { return solve(range, of: contents) }
    let parts = SharedParts<[SectionNode]>(count: ranges.count)
    defer { parts.close() }
    var nodes: [SectionNode] = []
    nodes.reserveCapacity(range.count)
    for part in ranges.indices where !work.isStopped {
      lend(parts, ranges, of: contents)
      nodes.append(contentsOf: solve(part, of: parts, ranges, of: contents))
    }
    return nodes
  }

  /// Cuts a range of sections into parts of about this many items. A large section begins a part.
  private static func parts(
    of range: Range<Int>,
    in contents: CollectionContents
  ) -> [Range<Int>] {
    let first = contents.itemCount(before: range.lowerBound)
    let end = contents.itemCount(before: range.upperBound)
    guard end - first >= leastItems else { return [range] }
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for ordinal in stride(from: first + partItems, to: end, by: partItems) {
      guard let section = contents.indexPath(ofOrdinal: ordinal)?.section, section > start else {
        continue
      }
      parts.append(start ..< section)
      start = section
    }
    parts.append(start ..< range.upperBound)
    return parts
  }

  private func lend(
    _ parts: SharedParts<[SectionNode]>,
    _ ranges: [Range<Int>],
    of contents: CollectionContents
  ) {
    parts.lend(from: work) { [layout, plan, environment] part, limits in
      var solver = SectionSolver(
        layout: layout,
        plan: plan,
        environment: environment,
        work: limits
      )
      return solver.solve(ranges[part], of: contents)
    }
  }

  /// The nodes of a part: those of the second thread if it has them, or else solved here.
  private mutating func solve(
    _ part: Int,
    of parts: SharedParts<[SectionNode]>,
    _ ranges: [Range<Int>],
    of contents: CollectionContents
  ) -> [SectionNode] {
    while !work.isStopped {
      switch parts.take(part) {
      case .done(let nodes): return nodes
      case .free: return solve(ranges[part], of: contents)
      case .taken:
        if let ahead = parts.takeFirst() {
          parts.finish(ahead, solve(ranges[ahead], of: contents))
        } else if let nodes = race(part, of: parts, ranges[part], of: contents) {
          return nodes
        }
      }
    }
    return []
  }

  /// Solves a part on which the second thread is still working, instead of waiting for it.
  ///
  /// - Returns: nil if the second thread was faster, or the work has stopped.
  private func race(
    _ part: Int,
    of parts: SharedParts<[SectionNode]>,
    _ range: Range<Int>,
    of contents: CollectionContents
  ) -> [SectionNode]? {
    let limits = work.race { parts.isDone(part) }
    var solver = SectionSolver(
      layout: layout,
      plan: plan,
      environment: environment,
      work: limits
    )
    let nodes = solver.solve(range, of: contents)
    if !limits.isStopped {
      guard parts.win(part) else { return nil }
      work.keep(bytes: limits.keptBytes)
      return nodes
    }
    // A limit of this part is one of the whole.
    if limits.stop != .cancelled { work.add(limits, isKept: false) }
    return nil
  }
}
