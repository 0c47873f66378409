// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutService
internal import NIOHTTP1

/// The programs that place layouts.
extension AdminRoutes {
  var layoutProviders: AdminResponse {
    get throws {
      var response = Wire.ListLayoutProvidersResponse()
      response.layoutProviders = (providers?.statuses ?? []).map { message(of: $0) }
      return try json(response)
    }
  }

  func layoutProvider(_ request: AdminRequest) throws -> AdminResponse {
    let layout = try layoutName(request)
    guard let status = providers?.status(of: layout) else { throw Self.noProvider }
    return try json(message(of: status))
  }

  func registerLayoutProvider(_ request: AdminRequest) throws -> AdminResponse {
    let layout = try layoutName(request)
    let body: Wire.LayoutProviderAddress = try message(request)
    guard let providers else {
      throw AdminRefusal(.preconditionFailed, "this server asks no providers")
    }
    guard let (host, port) = LayoutProviderConfiguration.place(of: body.address) else {
      throw AdminRefusal(
        .badRequest,
        "address: \(body.address.quotedAsFound) found; HOST:PORT is allowed, IPv6 in brackets"
      )
    }
    var configuration = providers.prototype
    (configuration.layout, configuration.host, configuration.port) = (layout, host, port)
    configuration.authorities = body.authoritiesFile.isEmpty ? nil : body.authoritiesFile
    configuration.tokenFile = body.tokenFile.isEmpty ? nil : body.tokenFile
    guard !configuration.sendsTokenOpenly else {
      throw AdminRefusal(
        .badRequest,
        "token_file: needs authorities_file, since the token would go to \(host) without encryption"
      )
    }
    do { try providers.register(configuration) } catch let error as LayoutProviders.TooMany {
      throw AdminRefusal(.conflict, "\(error)")
    } catch { throw AdminRefusal(.badRequest, "authorities_file: cannot be used: \(error)") }
    guard let status = providers.status(of: layout) else { throw Self.noProvider }
    return try json(message(of: status))
  }

  func withdrawLayoutProvider(_ request: AdminRequest) throws -> AdminResponse {
    guard let status = providers?.withdraw(try layoutName(request)) else { throw Self.noProvider }
    return try json(message(of: status))
  }

  private static let noProvider = AdminRefusal(
    .notFound,
    "no provider places a layout of this name"
  )

  private func layoutName(_ request: AdminRequest) throws(AdminRefusal) -> String {
    let name = String(request.path.dropFirst(LayoutProviderPath.prefix.count))
    guard LayoutProviderConfiguration.isName(name) else {
      throw AdminRefusal(
        .badRequest,
        "the layout: \(name.quotedAsFound) found; 1 to 128 letters, digits, \".\", \"_\" and \"-\" are allowed"
      )
    }
    return name
  }

  private func message(of status: LayoutProviderStatus) -> Wire.LayoutProviderStatus {
    var message = Wire.LayoutProviderStatus()
    message.layout = status.configuration.layout
    message.address = status.configuration.address
    message.encrypted = status.configuration.authorities != nil
    message.registered = status.isRegistered
    message.healthy = status.isHealthy
    message.problem = status.problem ?? ""
    message.answers = UInt64(clamping: status.answers)
    message.updates = UInt64(clamping: status.updates)
    message.faults = UInt64(clamping: status.faults)
    message.description_p = status.description
    message.parametersSchema = status.parametersSchema
    return message
  }
}

/// The path of one layout's provider: "/v1/layout-providers/{layout}".
enum LayoutProviderPath {
  static let prefix = "/v1/layout-providers/"

  /// What can be done there.
  static let methods: [String: AdminRoutes.Handler] = [
    "GET": { try $0.layoutProvider($1) },
    "PUT": { try $0.registerLayoutProvider($1) },
    "DELETE": { try $0.withdrawLayoutProvider($1) },
  ]
}
