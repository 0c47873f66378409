// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutMetrics
internal import LayoutProtocol
internal import LayoutService
internal import Logging
internal import NIOHTTP1
internal import SwiftProtobuf

/// Answers requests to the admin port.
struct AdminRoutes: Sendable {
  typealias Handler = @Sendable (AdminRoutes, AdminRequest) async throws -> AdminResponse

  let server: LayoutServer
  let metrics: PrometheusMetrics
  let controls: AdminControls
  /// nil = the server has no providers.
  let providers: LayoutProviders?
  let backupFolder: String
  let logger: Logger

  /// The methods of each path.
  private static let handlers: [String: [String: Handler]] = [
    "/": ["GET": { $0.start($1) }],
    "/metrics": ["GET": { try await $0.page($1) }],
    "/healthz": ["GET": { _, _ in AdminResponse("ok") }],
    "/readyz": ["GET": { routes, _ in routes.readiness }],
    "/version": ["GET": { routes, _ in AdminResponse("layout-server \(routes.server.version)") }],
    "/v1/sessions": ["GET": { try await $0.sessions($1) }],
    "/v1/collections": ["GET": { try await $0.collections($1) }],
    "/v1/log": ["GET": { routes, _ in try routes.log }, "PUT": { try $0.setLog($1) }],
    "/v1/backups": ["POST": { try await $0.backUp($1) }],
    "/v1/layout-providers": ["GET": { routes, _ in try routes.layoutProviders }],
  ]

  func respond(to request: AdminRequest) async -> AdminResponse {
    do {
      return try await handler(for: request)(self, request)
    } catch let refusal as AdminRefusal {
      return AdminResponse(refusal)
    } catch {
      logger.error("the admin port failed", metadata: ["reason": "\(error)"])
      return AdminResponse(.internalServerError, "the server failed; its log has the reason")
    }
  }

  private func handler(for request: AdminRequest) throws(AdminRefusal) -> Handler {
    var methods = Self.handlers[request.path] ?? [:]
    if SessionPath(request.path) != nil { methods = ["POST": { try $0.endSession($1) }] }
    if request.path.hasPrefix(LayoutProviderPath.prefix) { methods = LayoutProviderPath.methods }
    if let response = Inspector.response(at: request.path) {
      methods = ["GET": { _, _ in response }]
    }
    guard !methods.isEmpty else { throw AdminRefusal(.notFound, "there is no \(request.path)") }
    let method = request.method == .HEAD ? "GET" : request.method.rawValue
    guard let handler = methods[method] else {
      var allow = methods.keys.sorted()
      if methods["GET"] != nil { allow.append("HEAD") }
      throw AdminRefusal(
        .methodNotAllowed,
        "\(request.path) has no method \(request.method.rawValue)",
        allow: allow
      )
    }
    // A form in a foreign page cannot have this type without a preflight request, which is refused.
    guard method == "GET" || request.contentType.lowercased().hasPrefix("application/json") else {
      throw AdminRefusal(.unsupportedMediaType, "Content-Type must be application/json")
    }
    return handler
  }

  // MARK: - For monitoring

  /// Redirects browsers to the inspector; others get a list of the paths.
  private func start(_ request: AdminRequest) -> AdminResponse {
    guard !request.accept.contains("text/html") else { return Inspector.redirection }
    let paths = Self.handlers.keys.filter { $0 != "/" } + [Inspector.path]
    return AdminResponse(
      "The admin port of layout-server \(server.version).\n\n"
        + paths.sorted().joined(separator: "\n")
    )
  }

  private func page(_ request: AdminRequest) async throws -> AdminResponse {
    let format = ExpositionFormat(accept: request.accept)
    return try await server.performAside { [metrics] in
      AdminResponse(metrics.page(format), contentType: format.contentType)
    }
  }

  private var readiness: AdminResponse {
    let readiness = server.readiness
    if readiness.isDraining { return AdminResponse(.serviceUnavailable, "shutting down") }
    guard server.hasListened else { return AdminResponse(.serviceUnavailable, "starting") }
    if let fault = readiness.storeFault {
      return AdminResponse(.serviceUnavailable, "the store does not work: \(fault)")
    }
    return AdminResponse("ready")
  }
}

/// The path of a session's end: "/v1/sessions/{session}:end".
struct SessionPath {
  /// "sessions/{session}"
  let name: String

  /// - Returns: nil if it is another path.
  init?(_ path: String) {
    let (prefix, suffix) = ("/v1/sessions/", ":end")
    guard path.hasPrefix(prefix), path.hasSuffix(suffix) else { return nil }
    let session = path.dropFirst(prefix.count).dropLast(suffix.count)
    guard !session.isEmpty, !session.contains("/") else { return nil }
    name = "sessions/\(session)"
  }
}
