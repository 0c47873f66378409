// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutProtocol
import SwiftProtobuf
import Synchronization

/// A provider of the layout "keyed", which places an item by its width, and a title above each
/// section with items by their number. It gives cookies.
final class UpdatingProvider: Wire.LayoutProviderService.SimpleServiceProtocol {
  /// How it answers to changes.
  enum Manner: Hashable, Sendable, CaseIterable {
    case good
    case forgets
    case refuses
    case wrongCount
    case removesTwice
    case losesNames
  }

  private struct State {
    var manner = Manner.good
    var prepared = 0
    var updated = 0
    var sent = 0
    var known: [[UInt8]: [[Double]]] = [:]
  }

  private let state = Mutex(State())

  var manner: Manner {
    get { state.withLock { $0.manner } }
    set { state.withLock { $0.manner = newValue } }
  }

  /// Calls of PrepareLayout, calls of UpdatePlacement, and elements that were sent.
  var counts: (prepared: Int, updated: Int, sent: Int) {
    state.withLock { ($0.prepared, $0.updated, $0.sent) }
  }

  func describeLayouts(
    request: Wire.DescribeLayoutsRequest,
    context: ServerContext
  ) async throws -> Wire.DescribeLayoutsResponse {
    .with { $0.layouts = [.with { $0.name = "keyed" }] }
  }

  func prepareLayout(
    request: RPCAsyncSequence<Wire.PrepareLayoutRequest, any Error>,
    response: RPCWriter<Wire.PrepareLayoutResponse>,
    context: ServerContext
  ) async throws {
    var sections: [[Double]] = []
    for try await message in request {
      switch message.part {
      case .section: sections.append([])
      case .items(let block): sections[sections.count - 1] += Self.widths(block)
      case .start, nil: break
      }
    }
    let elements = Self.elements(sections)
    let cookie = remember(sections)
    state.withLock { state in
      state.prepared += 1
      state.sent += Int(elements.count)
    }
    try await response.write(.with { $0.elements = elements })
    try await response.write(
      .with {
        $0.end.contentSize = .with { ($0.width, $0.height) = (1000, 1000) }
        $0.end.elementCount = UInt64(elements.count)
        $0.end.kindNames = ["title"]
        $0.end.cookie = Data(cookie)
      }
    )
  }

  func updatePlacement(
    request: RPCAsyncSequence<Wire.UpdatePlacementRequest, any Error>,
    response: RPCWriter<Wire.UpdatePlacementResponse>,
    context: ServerContext
  ) async throws {
    var manner = self.manner
    state.withLock { $0.updated += 1 }
    var sections: [[Double]] = []
    /// Whether an item is new, and what was in the place of a section.
    var isNew: [[Bool]] = []
    var was: [Int?] = []
    var old: [[Double]] = []
    for try await message in request {
      switch message.part {
      case .start(let start):
        let known = state.withLock { $0.known[Array(start.cookie)] }
        guard let known, manner != .forgets else {
          throw RPCError(code: .failedPrecondition, message: "no such cookie")
        }
        if manner == .refuses { throw RPCError(code: .unimplemented, message: "no") }
        old = known
      case .section(let section):
        sections.append([])
        isNew.append([])
        was.append(section.hasWas ? Int(section.was) : nil)
      case .kept(let run):
        let first = Int(run.first)
        sections[sections.count - 1] += old[Int(run.section)][first ..< first + Int(run.count)]
        isNew[sections.count - 1] += Array(repeating: false, count: Int(run.count))
      case .items(let block):
        sections[sections.count - 1] += Self.widths(block)
        isNew[sections.count - 1] += Array(repeating: true, count: Int(block.count))
      case nil: break
      }
    }
    let all = Self.elements(sections)
    var changed = Wire.PlacedElements()
    for index in 0 ..< Int(all.count) {
      let (section, item) = (Int(all.sections[index]), Int(all.items[index]))
      let isChanged =
        item < 0
        ? was[section].map { old[$0].count != sections[section].count } ?? true
        : isNew[section][item]
      if isChanged { changed.append(all, index) }
    }
    var removed = Wire.RemovedElements()
    for (section, was) in was.enumerated() {
      guard let was, sections[section].isEmpty, !old[was].isEmpty else { continue }
      removed.count += 1
      removed.categories.append(.supplementary)
      removed.sections.append(UInt32(section))
      removed.items.append(-1)
    }
    if manner == .removesTwice, let section = was.firstIndex(of: nil) {
      removed.count += 1
      removed.categories.append(.supplementary)
      removed.sections.append(UInt32(section))
      removed.items.append(-1)
      manner = .good
    }
    let cookie = remember(sections)
    state.withLock { $0.sent += Int(changed.count) }
    try await response.write(.with { [changed] in $0.elements = changed })
    try await response.write(.with { [removed] in $0.removed = removed })
    try await response.write(
      .with { [manner] in
        $0.end.contentSize = .with { ($0.width, $0.height) = (1000, 1000) }
        $0.end.elementCount = UInt64(all.count) + (manner == .wrongCount ? 1 : 0)
        $0.end.kindNames = manner == .losesNames ? ["other"] : ["title"]
        $0.end.cookie = Data(cookie)
      }
    )
  }

  private func remember(_ sections: [[Double]]) -> [UInt8] {
    state.withLock { state in
      let cookie = Array("\(state.known.count)".utf8)
      state.known[cookie] = sections
      return cookie
    }
  }

  private static func widths(_ block: Wire.ItemBlock) -> [Double] {
    (0 ..< Int(block.count)).map { block.widths.count > 1 ? block.widths[$0] : block.widths[0] }
  }

  /// All elements of sections of items with these widths.
  static func elements(_ sections: [[Double]]) -> Wire.PlacedElements {
    var all = Wire.PlacedElements()
    for (section, widths) in sections.enumerated() {
      if !widths.isEmpty {
        all.append(.supplementary, section, -1, Double(widths.count))
      }
      for (item, width) in widths.enumerated() { all.append(.cell, section, item, width) }
    }
    return all
  }
}

extension Wire.PlacedElements {
  fileprivate mutating func append(
    _ category: Wire.ElementCategory,
    _ section: Int,
    _ item: Int,
    _ number: Double
  ) {
    count += 1
    categories.append(category)
    sections.append(UInt32(section))
    items.append(Int32(item))
    xs.append(number * 7 - 1000 * (number * 7 / 1000).rounded(.down))
    ys.append(number * 3)
    widths.append(number)
    heights.append(5)
  }

  fileprivate mutating func append(_ all: Self, _ index: Int) {
    append(
      all.categories[index],
      Int(all.sections[index]),
      Int(all.items[index]),
      all.widths[index]
    )
  }
}
