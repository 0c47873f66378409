// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
internal import CollectionModel
package import GRPCCore
internal import GRPCProtobuf
package import LayoutGeometry
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a provider is asked to place, and the limits of its answer.
package struct PlacementCall: Sendable {
  /// The name by which the provider knows the layout.
  package var layout: String
  package var parameters: [String: CustomValue]
  package var context: LayoutContext
  /// The axis along which the provider says that content grows.
  package var scrollAxis: ScrollAxis?
  /// The most elements that the answer may have.
  package var elementLimit: Int
  /// Called with the bytes of memory that the answer will take, before it takes them; may refuse
  /// them.
  package var take: @Sendable (Int) throws -> Void
  package var metadata: Metadata = [:]
  package var options = CallOptions.defaults
  /// The threads that process the answer.
  package var threads: any PlacementThreads = OwnThread()

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

  /// Asks for a complete placement.
  ///
  /// - Throws: `PlacementFault` if the answer breaks a rule, `RPCError`, what `take` throws.
  package func prepare(_ client: GRPCClient<some ClientTransport>) async throws -> Placement {
    try await client.bidirectionalStreaming(
      request: StreamingClientRequest(metadata: metadata) { writer in
        try await writer.write(.with { $0.start = start })
        var parts = ContentsParts(context.contents)
        while let part = parts.next() {
          var request = Wire.PrepareLayoutRequest(part)
          if case .items(let block) = request.part { request.items = block.withoutData }
          try await writer.write(request)
        }
      },
      descriptor: Wire.LayoutProviderService.Method.PrepareLayout.descriptor,
      serializer: ProtobufSerializer<Wire.PrepareLayoutRequest>(),
      deserializer: AnswerBytesDeserializer(),
      options: options
    ) { response in
      try take(PlacementBuilder.byteCount(for: context.contents))
      let answer = try await PlacementAnswer(context.contents, elementLimit, on: threads, take)
      for try await message in response.messages {
        try await answer.add(message) { [scrollAxis] (response: Wire.PrepareLayoutResponse) in
          switch response.part {
          case .elements(let elements): .elements(PlacedColumns(elements))
          case .end(let end): .end(PlacementEnd(end, scrollAxis: scrollAxis))
          case nil: nil
          }
        }
      }
      return try answer.placement
    }
  }

  /// Asks only for what changes moved.
  ///
  /// - Parameter base: the earlier placement, with the provider's cookie.
  /// - Parameter kept: which items the changes left alone.
  /// - Parameter cookie: nil = the cookie of `base`.
  /// - Throws: as `prepare`.
  package func update(
    _ client: GRPCClient<some ClientTransport>,
    from base: Placement,
    _ kept: KeptItems,
    cookie: [UInt8]? = nil
  ) async throws -> Placement {
    try await client.bidirectionalStreaming(
      request: StreamingClientRequest(metadata: metadata) { writer in
        try await writer.write(
          .with {
            $0.start.prepare = start
            $0.start.cookie = Data(cookie ?? base.cookie)
          }
        )
        var parts = ChangedParts(context.contents, kept)
        while let part = parts.next() { try await writer.write(part) }
      },
      descriptor: Wire.LayoutProviderService.Method.UpdatePlacement.descriptor,
      serializer: ProtobufSerializer<Wire.UpdatePlacementRequest>(),
      deserializer: AnswerBytesDeserializer(),
      options: options
    ) { response in
      try take(PlacementBuilder.byteCount(for: context.contents, from: base))
      let answer = try await PlacementAnswer(
        context.contents,
        from: base,
        kept,
        elementLimit,
        on: threads,
        take
      )
      for try await message in response.messages {
        try await answer.add(message) { [scrollAxis] (response: Wire.UpdatePlacementResponse) in
          switch response.part {
          case .elements(let elements): .elements(PlacedColumns(elements))
          case .removed(let elements): .removed(PlacedColumns(elements))
          case .end(let end): .end(PlacementEnd(end, scrollAxis: scrollAxis))
          case nil: nil
          }
        }
      }
      return try answer.placement
    }
  }

  private var start: Wire.PrepareLayoutStart {
    Wire.PrepareLayoutStart(layout: layout, parameters: parameters, context)
  }
}

extension Wire.ItemBlock {
  /// Without the items' own data, which is for viewers.
  var withoutData: Self {
    var block = self
    block.data = []
    return block
  }
}
