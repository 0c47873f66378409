// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol
internal import SwiftProtobuf

/// Answers layout servers.
struct ProviderService: Wire.LayoutProviderService.SimpleServiceProtocol {
  /// The elements of one message: about 256 KiB.
  private static let chunk = 4096

  private let layouts: [String: ProvidedLayout]

  init(_ layouts: [ProvidedLayout]) {
    self.layouts = Dictionary(layouts.map { ($0.name, $0) }) { $1 }
  }

  func describeLayouts(
    request: Wire.DescribeLayoutsRequest,
    context: ServerContext
  ) async throws -> Wire.DescribeLayoutsResponse {
    .with { response in
      response.layouts = layouts.values.sorted { $0.name < $1.name }.map { layout in
        .with {
          $0.name = layout.name
          $0.description_p = layout.description
          $0.parametersSchema = layout.parametersSchema
          $0.maxItems = UInt64(clamping: layout.maxItems ?? 0)
          switch layout.scrollAxis {
          case .vertical: $0.scrollDirection = .vertical
          case .horizontal: $0.scrollDirection = .horizontal
          case nil: break
          }
        }
      }
    }
  }

  func prepareLayout(
    request: RPCAsyncSequence<Wire.PrepareLayoutRequest, any Error>,
    response: RPCWriter<Wire.PrepareLayoutResponse>,
    context: ServerContext
  ) async throws {
    var reader = ItemsReader()
    for try await message in request { try reader.read(message) }
    guard let start = reader.start, let layout = layouts[start.layout] else {
      throw RPCError(code: .notFound, message: "there is no such layout")
    }
    guard let parameters = [String: CustomValue](start.parameters) else {
      throw RPCError(code: .invalidArgument, message: "the parameters are too many")
    }
    let environment = ProvidedLayout.Environment(
      container: LayoutContainer(start.container),
      parameters: parameters
    )
    let placed: PlacedItems
    do { placed = try await layout.place(reader.items, environment) } catch let fault
      as ParameterFault
    {
      throw RPCError(code: .invalidArgument, message: "\(fault)")
    }
    guard placed.cells.count == reader.items.items.count else {
      throw RPCError(
        code: .internalError,
        message: "\(placed.cells.count) cells were placed for \(reader.items.items.count) items"
      )
    }
    try await write(placed, of: reader.items, to: response)
  }

  func updatePlacement(
    request: RPCAsyncSequence<Wire.UpdatePlacementRequest, any Error>,
    response: RPCWriter<Wire.UpdatePlacementResponse>,
    context: ServerContext
  ) async throws {
    // It gives no cookies, so nobody asks.
    throw RPCError(code: .unimplemented, message: "everything is placed anew")
  }

  private func write(
    _ placed: PlacedItems,
    of items: ItemsToPlace,
    to response: RPCWriter<Wire.PrepareLayoutResponse>
  ) async throws {
    var elements = Wire.PlacedElements()
    var count: UInt64 = 0
    for (item, cell) in zip(items.items, placed.cells) {
      guard let cell else { continue }
      elements.append(cell, .cell, kind: 0, section: item.section, item: item.index)
      count += 1
      guard elements.count >= Self.chunk else { continue }
      try await response.write(.with { $0.elements = elements })
      elements = .init()
    }
    var kinds: [String: Int] = [:]
    var names: [String] = []
    for other in placed.others {
      let kind = kinds[other.kind] ?? names.count
      if kind == names.count {
        kinds[other.kind] = kind
        names.append(other.kind)
      }
      elements.append(
        other.element,
        other.isDecoration ? .decoration : .supplementary,
        kind: kind,
        section: other.section,
        item: other.item ?? -1
      )
      count += 1
      guard elements.count >= Self.chunk else { continue }
      try await response.write(.with { $0.elements = elements })
      elements = .init()
    }
    if elements.count > 0 { try await response.write(.with { $0.elements = elements }) }
    let (size, total) = (placed.size, count)
    try await response.write(
      .with { [names] in
        $0.end.contentSize = Wire.Size(size)
        $0.end.elementCount = total
        $0.end.kindNames = names
      }
    )
  }
}

/// Reads the request of a call.
private struct ItemsReader {
  private(set) var start: Wire.PrepareLayoutStart?
  private(set) var items = ItemsToPlace()

  mutating func read(_ message: Wire.PrepareLayoutRequest) throws {
    switch message.part {
    case .start(let first): start = first
    case .section(let header):
      let next = items.items.count
      items.sections.append(ItemsToPlace.Section(key: header.key, items: next ..< next))
    case .items(let block): try add(block)
    case nil: throw RPCError(code: .invalidArgument, message: "a request has no known part")
    }
  }

  private mutating func add(_ block: Wire.ItemBlock) throws {
    let count = Int(block.count)
    let lengths = [
      block.widths.count, block.heights.count, block.xs.count, block.ys.count,
      block.cellKinds.count, block.keys.count,
    ]
    guard let section = items.sections.indices.last, let start,
      lengths.allSatisfy({ $0 <= 1 || $0 == count })
    else { throw RPCError(code: .invalidArgument, message: "a block of items is wrong") }
    let names = start.cellKindNames.isEmpty ? [""] : start.cellKindNames
    let first = items.items.count - items.sections[section].items.lowerBound
    for offset in 0 ..< count {
      let kind = Int(block.cellKinds.value(at: offset) ?? 0)
      items.items.append(
        ItemsToPlace.Item(
          section: section,
          index: first + offset,
          width: block.widths.value(at: offset),
          height: block.heights.value(at: offset),
          x: block.xs.value(at: offset),
          y: block.ys.value(at: offset),
          kind: names.indices.contains(kind) ? names[kind] : "",
          key: block.keys.value(at: offset) ?? ""
        )
      )
    }
    items.sections[section].items = items.sections[section].items.lowerBound ..< items.items.count
  }
}

extension Array {
  /// The value of a column that is empty, or has one value for all or one for each.
  fileprivate func value(at offset: Int) -> Element? { count > 1 ? self[offset] : first }
}

extension Wire.PlacedElements {
  fileprivate mutating func append(
    _ element: PlacedElement,
    _ category: Wire.ElementCategory,
    kind: Int,
    section: Int,
    item: Int
  ) {
    count += 1
    categories.append(category)
    kinds.append(UInt32(clamping: kind))
    sections.append(UInt32(clamping: section))
    items.append(Int32(clamping: item))
    xs.append(element.frame.x)
    ys.append(element.frame.y)
    widths.append(element.frame.width)
    heights.append(element.frame.height)
    zIndices.append(element.zIndex)
    alphas.append(element.alpha)
  }
}

extension LayoutContainer {
  fileprivate init(_ message: Wire.ProvidedContainer) {
    self.init(
      size: Size(width: message.size.width, height: message.size.height),
      insets: EdgeInsets(
        top: message.insets.top,
        leading: message.insets.leading,
        bottom: message.insets.bottom,
        trailing: message.insets.trailing
      ),
      displayScale: message.displayScale,
      isRightToLeft: message.rightToLeft
    )
  }
}
