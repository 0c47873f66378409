// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession

/// A session that was opened, with what its driver needs.
struct OpenedSession {
  var session: ViewportSession
  var encoder: FrameEncoder
  /// nil = private contents.
  var collection: LiveCollection?
  var opening: SessionOpening
}

/// Makes sessions of opening requests.
struct SessionOpener {
  let services: SessionServices

  static let routingKey = "x-layout-collection"

  func open(
    _ request: Wire.StreamLayoutRequest,
    name: String,
    context: CallContext
  ) async throws(LayoutProblem) -> OpenedSession {
    guard case .open(let message) = request.event else {
      throw .protocolViolation("The first request of a stream must open a session.")
    }
    // The name is looked at before the rest, since proxies routed by it.
    var collectionName = ""
    if case .collection(let name) = message.source { collectionName = name }
    try checkRoutingKey(context, collection: collectionName)
    let open = try message.decoded(by: services.rules)
    switch open.source {
    case .collection(let collectionName):
      return try await openShared(collectionName, open, request, name: name)
    case .contents(let contents):
      guard let layout = open.layout else {
        throw .layoutKindUnknown(
          field: "layout",
          found: "no layout found, and inline contents have no default",
          supported: services.rules.registry.supportedKinds
        )
      }
      return opened(
        SessionParameters(
          contents: contents,
          isShared: false,
          layout: layout,
          viewport: open.viewport,
          options: open.options,
          capabilities: open.capabilities,
          contentsLimits: services.rules.limits,
          maxElements: services.configuration.limits.elementsPerFrame,
          eventSequence: request.eventSeq
        ),
        open,
        collection: nil,
        name: name
      )
    case .resume:
      throw .sessionExpired("")
    }
  }

  private func openShared(
    _ collectionName: String,
    _ open: OpenRequest,
    _ request: Wire.StreamLayoutRequest,
    name: String
  ) async throws(LayoutProblem) -> OpenedSession {
    let id = try CollectionName(parsing: collectionName, field: "collection").id
    let collection: LiveCollection
    do throws(StoreError) { collection = try await services.registry.collection(id) } catch {
      throw LayoutProblem(error)
    }
    let snapshot = collection.snapshot
    let layout: LayoutConfiguration
    if let own = open.layout {
      layout = own
    } else {
      layout = try DefaultLayout.configuration(
        of: snapshot.record,
        by: services.rules,
        field: "layout"
      )
    }
    return opened(
      SessionParameters(
        contents: snapshot.contents,
        dataVersion: snapshot.record.dataVersion,
        isShared: true,
        layout: layout,
        viewport: open.viewport,
        options: open.options,
        capabilities: open.capabilities,
        contentsLimits: services.rules.limits,
        maxElements: services.configuration.limits.elementsPerFrame,
        eventSequence: request.eventSeq
      ),
      open,
      collection: collection,
      name: name
    )
  }

  private func opened(
    _ parameters: SessionParameters,
    _ open: OpenRequest,
    collection: LiveCollection?,
    name: String
  ) -> OpenedSession {
    let session = ViewportSession(open: parameters)
    let opening = SessionOpening(
      session: name,
      collection: collection.map { CollectionName($0.id).description } ?? "",
      incarnation: collection?.incarnation ?? 0,
      lastEvent: parameters.eventSequence,
      dataVersion: parameters.dataVersion,
      capabilities: session.capabilities,
      options: session.options,
      resumeToken: [],
      resumeGrace: .zero
    )
    return OpenedSession(
      session: session,
      encoder: FrameEncoder(
        capabilities: session.capabilities,
        maxMessageBytes: open.maxMessageBytes
      ),
      collection: collection,
      opening: opening
    )
  }

  private func checkRoutingKey(
    _ context: CallContext,
    collection: String
  ) throws(LayoutProblem) {
    for value in context.metadata[stringValues: Self.routingKey]
    where value != collection && "collections/\(value)" != collection {
      throw .routingKeyMismatch(metadata: value, message: collection)
    }
  }
}
