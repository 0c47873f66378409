// SPDX-License-Identifier: Apache-2.0

import LayoutService

/// The options about programs that place layouts.
struct ProviderOptions: Sendable {
  /// The address of a layout's provider.
  struct Address: Hashable, Sendable {
    var layout: String
    /// A name or an address, IPv6 without brackets.
    var host: String
    var port: Int
  }

  var addresses: [Address] = []
  /// "" = connections are not encrypted.
  var authorities = ""
  /// "" = no token is sent to providers.
  var tokenFile = ""
  var timeout = Duration.seconds(10)

  static let texts: [(key: String, help: String)] = [
    (
      "layoutProvider",
      "layouts that other programs place, as NAME=HOST:PORT, separated by commas; clients ask for them as custom "
        + "layouts of these names"
    ),
    (
      "layoutProviderCa",
      "PEM file with authorities of the providers' certificates; connections to them are then encrypted"
    ),
    (
      "layoutProviderTokenFile",
      "file with a token that providers are shown, read for each call; needs --layout-provider-ca unless they are "
        + "on this machine"
    ),
  ]

  init() {}

  /// - Parameter option: the value of an option and its name, if it is set.
  init(_ option: (String) throws -> (value: String, name: String)?) throws {
    authorities = try option("layoutProviderCa")?.value ?? ""
    tokenFile = try option("layoutProviderTokenFile")?.value ?? ""
    guard let list = try option("layoutProvider"), !list.value.isEmpty else { return }
    for text in list.value.split(separator: ",") {
      let text = String(text.trimmingPrefix(" "))
      guard let address = Address(text), !addresses.contains(where: { $0.layout == address.layout })
      else {
        throw UsageError(
          "\(list.name): \"\(text.prefix(200))\" found; NAME=HOST:PORT is allowed, each name once, of "
            + "letters, digits, \".\", \"_\" and \"-\""
        )
      }
      addresses.append(address)
    }
    if let far = configurations.first(where: \.sendsTokenOpenly) {
      throw UsageError(
        "--layout-provider-token-file needs --layout-provider-ca: the token would go to \(far.host) "
          + "without encryption"
      )
    }
  }

  var configurations: [LayoutProviderConfiguration] {
    addresses.map { address in
      var configuration = prototype
      configuration.layout = address.layout
      configuration.host = address.host
      configuration.port = address.port
      configuration.authorities = authorities.isEmpty ? nil : authorities
      configuration.tokenFile = tokenFile.isEmpty ? nil : tokenFile
      return configuration
    }
  }

  /// The settings of providers that are registered later.
  var prototype: LayoutProviderConfiguration {
    var configuration = LayoutProviderConfiguration(layout: "", host: "", port: 0)
    configuration.timeout = timeout
    return configuration
  }
}

extension ProviderOptions.Address {
  /// Reads "spiral=127.0.0.1:50061" or "spiral=[::1]:50061".
  ///
  /// - Returns: nil if it is something else.
  init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="),
      let place = LayoutProviderConfiguration.place(of: text[text.index(after: equals)...])
    else { return nil }
    layout = String(text[..<equals])
    guard LayoutProviderConfiguration.isName(layout) else { return nil }
    (host, port) = place
  }
}
