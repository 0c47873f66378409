// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
internal import CollectionModel
package import GRPCCore
package import LayoutGeometry
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a provider is asked to place, and what of its answer is taken.
package struct PlacementCall: Sendable {
  /// The name by which the provider knows the layout.
  package var layout: String
  package var parameters: [String: CustomValue]
  package var context: LayoutContext
  /// The axis along which the provider says that content grows.
  package var scrollAxis: ScrollAxis?
  /// The most elements that the answer may have.
  package var elementLimit: Int
  /// Told of the bytes that the answer will take in memory, before it does; may refuse that.
  package var take: @Sendable (Int) throws -> Void
  package var metadata: Metadata = [:]
  package var options = CallOptions.defaults

  package init(
    layout: String,
    parameters: [String: CustomValue],
    _ context: LayoutContext,
    scrollAxis: ScrollAxis?,
    elementLimit: Int = 10_000_000,
    take: @escaping @Sendable (Int) throws -> Void = { _ in }
  ) {
    self.layout = layout
    self.parameters = parameters
    self.context = context
    self.scrollAxis = scrollAxis
    self.elementLimit = elementLimit
    self.take = take
  }

  /// Has everything placed.
  ///
  /// - Throws: `PlacementFault` if the answer breaks a rule, `RPCError`, what `take` throws.
  package func prepare(
    _ client: some Wire.LayoutProviderService.ClientProtocol
  ) async throws -> Placement {
    try await client.prepareLayout(metadata: metadata, options: options) { writer in
      try await writer.write(.with { $0.start = start })
      var parts = ContentsParts(context.contents)
      while let part = parts.next() {
        var request = Wire.PrepareLayoutRequest(part)
        if case .items(let block) = request.part { request.items = block.withoutData }
        try await writer.write(request)
      }
    } onResponse: { response in
      try take(PlacementBuilder.byteCount(for: context.contents))
      var answer = Answer(PlacementBuilder(context.contents, elementLimit: elementLimit))
      for try await message in response.messages {
        switch message.part {
        case .elements(let elements): try await answer.add(elements, take)
        case .end(let end):
          try answer.end { (builder) throws(PlacementFault) in
            try builder.finish(end, scrollAxis: scrollAxis)
          }
        case nil: throw PlacementFault.unknownPart
        }
      }
      return try answer.placement
    }
  }

  /// Has placed what changes moved.
  ///
  /// - Parameters:
  ///   - base: what was placed before, with the provider's cookie.
  ///   - kept: what the changes left alone.
  ///   - cookie: nil = that of `base`.
  /// - Throws: as `prepare`.
  package func update(
    _ client: some Wire.LayoutProviderService.ClientProtocol,
    from base: Placement,
    _ kept: KeptItems,
    cookie: [UInt8]? = nil
  ) async throws -> Placement {
    try await client.updatePlacement(metadata: metadata, options: options) { writer in
      try await writer.write(
        .with {
          $0.start.prepare = start
          $0.start.cookie = Data(cookie ?? base.cookie)
        }
      )
      var parts = ChangedParts(context.contents, kept)
      while let part = parts.next() { try await writer.write(part) }
    } onResponse: { response in
      try take(PlacementBuilder.byteCount(for: context.contents, from: base))
      var answer = Answer(
        PlacementBuilder(context.contents, from: base, kept, elementLimit: elementLimit)
      )
      for try await message in response.messages {
        switch message.part {
        case .elements(let elements): try await answer.add(elements, take)
        case .removed(let elements): try answer.remove(elements)
        case .end(let end):
          try answer.end { (builder) throws(PlacementFault) in
            try builder.finish(end, scrollAxis: scrollAxis)
          }
        case nil: throw PlacementFault.unknownPart
        }
      }
      return try answer.placement
    }
  }

  private var start: Wire.PrepareLayoutStart {
    Wire.PrepareLayoutStart(layout: layout, parameters: parameters, context)
  }
}

/// An answer as it comes.
private struct Answer {
  private var builder: PlacementBuilder?
  private var whole: Placement?

  init(_ builder: PlacementBuilder) { self.builder = builder }

  /// The elements that are taken before others may work: about a millisecond.
  private static let piece = 4096

  mutating func add(
    _ elements: Wire.PlacedElements,
    _ take: (Int) throws -> Void
  ) async throws {
    guard builder != nil else { throw PlacementFault.afterEnd }
    let columns = PlacedColumns(elements)
    var next: Int? = 0
    while let first = next {
      next = try builder?.add(columns, from: first, atMost: Self.piece)
      if next != nil { await Task.yield() }
    }
    try take(builder?.byteCount ?? 0)
  }

  mutating func remove(_ elements: Wire.RemovedElements) throws(PlacementFault) {
    guard builder != nil else { throw .afterEnd }
    try builder?.remove(PlacedColumns(elements))
  }

  mutating func end(
    _ finish: (consuming PlacementBuilder) throws(PlacementFault) -> Placement
  ) throws(PlacementFault) {
    guard let last = builder.take() else { throw .afterEnd }
    whole = try finish(last)
  }

  var placement: Placement {
    get throws(PlacementFault) {
      guard let whole else { throw PlacementFault("the answer has no end") }
      return whole
    }
  }
}

extension PlacementFault {
  fileprivate static let afterEnd = PlacementFault("something came after the end")
  fileprivate static let unknownPart = PlacementFault("a response has no part that is known here")
}

/// Divides changed contents into messages: for each section its header, then runs of items that are kept, and
/// the others in blocks.
struct ChangedParts: IteratorProtocol {
  private let contents: CollectionContents
  private let kept: KeptItems
  private var nextSection = 0
  private var nextItem = 0
  private var nextRun = 0
  private var items = ItemSequence()
  private var blocks = ItemParts(ItemSequence(), in: 0 ..< 0)

  init(_ contents: CollectionContents, _ kept: KeptItems) {
    self.contents = contents
    self.kept = kept
  }

  mutating func next() -> Wire.UpdatePlacementRequest? {
    if let block = blocks.next() { return .with { $0.items = block.withoutData } }
    if nextItem < items.count { return nextItems() }
    guard nextSection < contents.sectionCount else { return nil }
    let section = contents.section(at: nextSection)
    let was = kept.sections[nextSection]
    (items, nextItem) = (section.items, 0)
    nextSection += 1
    return .with {
      $0.section.header = Wire.Section(headerOf: section)
      if let was { $0.section.was = UInt32(clamping: was) }
    }
  }

  private mutating func nextItems() -> Wire.UpdatePlacementRequest? {
    let run = nextRun < kept.runs.count ? kept.runs[nextRun] : nil
    guard let run, run.new.section == nextSection - 1, let start = run.new.item else {
      return sendItems(until: items.count)
    }
    guard start <= nextItem else { return sendItems(until: start) }
    nextRun += 1
    nextItem = start + run.count
    return .with {
      $0.kept.section = UInt32(clamping: run.old.section)
      $0.kept.first = UInt32(clamping: run.old.item ?? 0)
      $0.kept.count = UInt32(clamping: run.count)
    }
  }

  private mutating func sendItems(until end: Int) -> Wire.UpdatePlacementRequest? {
    blocks = ItemParts(items, in: nextItem ..< end)
    nextItem = end
    return next()
  }
}

extension Wire.ItemBlock {
  /// Without what items carry besides, which is for viewers.
  fileprivate var withoutData: Self {
    var block = self
    block.data = []
    return block
  }
}
