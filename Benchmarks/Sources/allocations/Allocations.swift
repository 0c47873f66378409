// SPDX-License-Identifier: Apache-2.0

import AllocationCount
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Counts how often memory is asked for where every element is touched: none of it may be for each
/// element. Prints a table; with --check it fails where an operation allocates more than is
/// committed.
@main
struct Allocations {
  var isKept = true

  static func main() throws {
    var table = Allocations()
    print("| operation | elements | allocations | at most | |\n|---|---|---|---|---|")
    table.measureQueries()
    table.measureSteps()
    try table.measureOperations()
    if CommandLine.arguments.contains("--check"), !table.isKept { exit(1) }
  }

  private mutating func row(
    _ name: String,
    _ elements: Double,
    _ allocations: Double,
    atMost limit: Double
  ) {
    let isWithin = allocations <= limit
    isKept = isKept && isWithin
    print(
      "| \(name) | \(elements.text) | \(allocations.text) | \(limit.text) | "
        + "\(isWithin ? "kept" : "not kept") |"
    )
  }

  // MARK: - Queries

  private mutating func measureQueries() {
    for subject in Subject.all where subject.isScrolling {
      let prepared = Stage(subject, count: 100_000).prepared
      for scale in [1.0, 4] { measureQueries(subject, prepared, scale) }
    }
  }

  private mutating func measureQueries(
    _ subject: Subject,
    _ prepared: any PreparedLayout,
    _ scale: Double
  ) {
    let viewports = Workload.rects(200, in: prepared.contentSize).map {
      Viewport(
        offset: $0.origin,
        size: Size(width: $0.width * scale, height: $0.height * scale)
      )
    }
    var buffer = ElementBuffer()
    var elements = 0
    // The first round lets the buffer grow.
    var allocations = UInt64.zero
    for _ in 0 ..< 2 {
      elements = 0
      let before = allocation_count()
      for viewport in viewports {
        buffer.removeAll()
        prepared.appendElements(in: viewport.rect, viewport: viewport, to: &buffer)
        elements += buffer.elements.count
      }
      allocations = allocation_count() - before
    }
    let count = Double(viewports.count)
    let each = Double(elements) / count
    row(
      "query \(subject.name)",
      each,
      Double(allocations) / count,
      atMost: subject.queryAllocationLimit(elements: each)
    )
  }

  // MARK: - Diff and encode

  private mutating func measureSteps() {
    for encoding in ElementEncoding.allCases {
      for columns in [10, 40] {
        let (elements, allocations) = step(encoding, columns: columns)
        row("scroll step, \(encoding)", elements, allocations, atMost: 8)
      }
    }
  }

  /// A step of one row, from event to encoded frame.
  private func step(_ encoding: ElementEncoding, columns: Int) -> (Double, Double) {
    let spacing = 10.0
    let pitch = (1024 + spacing) / Double(columns)
    let cell = (pitch - spacing).rounded(.down)
    var session = ScrollingSession(
      Workload.contents(1_000_000, .equal),
      layout: FlowLayout(
        itemSize: Size(width: cell, height: cell),
        minimumLineSpacing: spacing,
        minimumInteritemSpacing: spacing,
        alignment: .leading
      ),
      capabilities: ClientCapabilities(encoding: encoding)
    )
    var offset = 0.0
    var elements = 0
    func steps(_ count: Int) {
      for _ in 0 ..< count {
        offset += cell + spacing
        session.step(to: offset)
        elements += session.frame?.upserts.count ?? 0
      }
    }
    steps(100)
    elements = 0
    let before = allocation_count()
    steps(400)
    return (Double(elements) / 400, Double(allocation_count() - before) / 400)
  }
}

extension Double {
  fileprivate var text: String { "\((self * 10).rounded() / 10)" }
}
