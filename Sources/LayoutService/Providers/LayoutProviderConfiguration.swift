// SPDX-License-Identifier: Apache-2.0

/// Where a program that places layouts is, and what is asked of it.
public struct LayoutProviderConfiguration: Hashable, Sendable {
  /// The name by which clients ask for the layout, and by which the provider knows it.
  public var layout: String
  /// A name or an address, IPv6 without brackets.
  public var host: String
  /// 1 to 65,535.
  public var port: Int
  /// A PEM file with authorities of the provider's certificate; nil = the connection is not encrypted.
  public var authorities: String?
  /// A file with a token that is sent to the provider, read for each call; nil = none.
  public var tokenFile: String?
  /// For the answer to one call. 10 s by default.
  public var timeout = Duration.seconds(10)
  /// Calls at the same time; more wait. 4 by default.
  public var callLimit = 4
  /// The most elements that one answer may place. 10,000,000 by default.
  public var elementLimit = 10_000_000
  /// Before the second attempt after a fault; doubled with each further one. 250 ms by default.
  public var firstRetry = Duration.milliseconds(250)
  /// The longest time between two attempts. 5 s by default.
  public var longestRetry = Duration.seconds(2)

  /// A provider with the defaults.
  public init(layout: String, host: String, port: Int) {
    self.layout = layout
    self.host = host
    self.port = port
  }
}
