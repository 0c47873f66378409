// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutTrust

/// Where a program that places layouts is, and the limits of its answers.
public struct LayoutProviderConfiguration: Hashable, Sendable {
  /// The name by which clients ask for the layout, and by which the provider knows it.
  public var layout: String
  /// A host name or an address, IPv6 without brackets.
  public var host: String
  /// 1 to 65,535.
  public var port: Int
  /// A PEM file with the authorities of the provider's certificate; nil = the connection is not
  /// encrypted.
  public var authorities: String?
  /// A file with a token of at most 16 KiB that is sent to the provider, read for each call; nil =
  /// no token is sent.
  public var tokenFile: String?
  /// How long one answer may take, from the moment somebody asks for it. 10 s by default.
  public var timeout = Duration.seconds(10)
  /// Concurrent calls; further ones wait. Calls for what failed before take at most half of them. 4
  /// by default.
  public var callLimit = 4
  /// The most elements that one answer may place. 10,000,000 by default.
  public var elementLimit = 10_000_000
  /// The delay before the first retry after a fault, doubled for each further one. 250 ms by
  /// default.
  public var firstRetry = Duration.milliseconds(250)
  /// The longest delay between two attempts. 2 s by default.
  public var longestRetry = Duration.seconds(2)

  /// Creates a configuration with the default limits.
  public init(layout: String, host: String, port: Int) {
    self.layout = layout
    self.host = host
    self.port = port
  }

  /// Whether a token would be sent to another machine without encryption.
  public var sendsTokenOpenly: Bool {
    tokenFile != nil && authorities == nil && !LoopbackAddress.contains(host)
  }

  /// Reads "127.0.0.1:50061" or "[::1]:50061".
  ///
  /// - Returns: nil = it is something else.
  public static func place(of text: some StringProtocol) -> (host: String, port: Int)? {
    HostAndPort(text).map { ($0.host, $0.port) }
  }

  /// Whether a text can be the name of a provider's layout: 1 to 128 letters, digits, ".", "_" and
  /// "-".
  public static func isName(_ text: String) -> Bool {
    (1 ... 128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a") ... UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      }
  }

  /// "HOST:PORT", with an IPv6 address in brackets.
  public var address: String { HostAndPort(host, port).description }
}
