// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol
internal import SwiftProtobuf

/// Answers the calls of layout servers.
struct ProviderService: Wire.LayoutProviderService.SimpleServiceProtocol {
  private let layouts: [String: ProvidedLayout]
  private let remembered: RememberedAnswers
  private let itemLimit: Int

  /// - Parameters:
  ///   - keep: how many answers are remembered.
  ///   - itemLimit: the most items of one call.
  init(_ layouts: [ProvidedLayout], keep: Int, itemLimit: Int) {
    self.layouts = Dictionary(layouts.map { ($0.name, $0) }) { $1 }
    remembered = RememberedAnswers(limit: keep)
    self.itemLimit = itemLimit
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
    var reader = ItemsReader(itemLimit: itemLimit)
    for try await message in request { try reader.read(message) }
    let (layout, environment) = try asked(reader)
    let placed = try await Self.placed { try await layout.place(reader.items, environment) }
    let answer = try PlacedAnswer(placed, of: reader.items, layout: layout.name)
    let cookie = remembered.add(answer)
    try await answer.write(answer.everything) { elements in
      try await response.write(.with { $0.elements = elements })
    }
    try await response.write(
      .with { response in
        response.end.contentSize = Wire.Size(answer.placed.size)
        response.end.elementCount = UInt64(clamping: answer.elementCount)
        response.end.kindNames = answer.kindNames
        response.end.cookie = cookie
      }
    )
  }

  func updatePlacement(
    request: RPCAsyncSequence<Wire.UpdatePlacementRequest, any Error>,
    response: RPCWriter<Wire.UpdatePlacementResponse>,
    context: ServerContext
  ) async throws {
    var reader = ItemsReader(itemLimit: itemLimit)
    var before: PlacedAnswer?
    for try await message in request {
      if case .start(let start) = message.part, before == nil {
        before = remembered.answer(start.cookie, of: start.prepare.layout)
        guard let before else {
          throw RPCError(
            code: .failedPrecondition,
            message: "the cookie is not known any more"
          )
        }
        reader.begin(from: before.items)
      }
      try reader.read(message)
    }
    let (layout, environment) = try asked(reader)
    guard let before else { throw ItemsReader.startMissing }
    let placed = try await Self.placed {
      guard let update = layout.update else {
        return try await layout.place(reader.items, environment)
      }
      return try await update(reader.items, environment, before.placed, reader.was)
    }
    let answer = try PlacedAnswer(
      placed,
      of: reader.items,
      layout: layout.name,
      kinds: before.kindNames
    )
    let difference = PlacedDifference(answer, before, reader)
    let cookie = remembered.add(answer)
    try await answer.write(difference.placed) { elements in
      try await response.write(.with { $0.elements = elements })
    }
    try await answer.write(difference.removed) { elements in
      try await response.write(.with { $0.removed = Wire.RemovedElements(placesOf: elements) })
    }
    try await response.write(
      .with { response in
        response.end.contentSize = Wire.Size(answer.placed.size)
        response.end.elementCount = UInt64(clamping: answer.elementCount)
        response.end.kindNames = answer.kindNames
        response.end.cookie = cookie
      }
    )
  }

  /// The layout that a call asks for, and the container and parameters of the call.
  private func asked(
    _ reader: ItemsReader
  ) throws -> (ProvidedLayout, ProvidedLayout.Environment) {
    guard let start = reader.start else { throw ItemsReader.startMissing }
    guard let layout = layouts[start.layout] else {
      throw RPCError(code: .notFound, message: "there is no such layout")
    }
    if let limit = layout.maxItems, reader.items.items.count > limit {
      throw RPCError(
        code: .invalidArgument,
        message: "\(reader.items.items.count) items came; the layout places at most \(limit)"
      )
    }
    guard let parameters = [String: CustomValue](start.parameters) else {
      throw RPCError(code: .invalidArgument, message: "the parameters are too many")
    }
    let container = LayoutContainer(start.container)
    return (layout, ProvidedLayout.Environment(container: container, parameters: parameters))
  }

  private static func placed(_ place: () async throws -> PlacedItems) async throws -> PlacedItems {
    do { return try await place() } catch let fault as ParameterFault {
      throw RPCError(code: .invalidArgument, message: "\(fault)")
    }
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
