// SPDX-License-Identifier: Apache-2.0

/// How the transport treats connections: what they may cost, and how long they may wait.
///
/// An address is an IPv4 address or an IPv6 /64 network. Clients behind one proxy share its address.
public struct TransportLimits: Hashable, Sendable {
  /// Open connections. Beyond them a new one is closed at once.
  public var connections = 16_384
  /// Open connections of one address.
  public var connectionsPerAddress = 4096
  /// Connections that one address may open in ten seconds; as many may come at once.
  public var newConnectionsPerAddress = 5000
  /// Calls that one connection may have open.
  public var streamsPerConnection = 128
  /// What a client may send ahead, in each stream and in the connection, in bytes.
  public var windowBytes = 1 << 20

  /// Frames other than DATA that a connection may send in a second; beyond them it is read more
  /// slowly. HEADERS and RST_STREAM count ten times. An address may send four times as many.
  public var framesPerSecond = 50_000
  /// Calls that one address may reset in 30 seconds; beyond them connections that keep resetting
  /// close, and new connections of the address are refused. Calls whose connection ends within a
  /// second of their beginning count too; a connection that breaks the protocol counts 50 times. One
  /// connection may reset 200.
  public var resetsPerAddress = 2000
  /// PINGs that a connection may send within `pingPeriod`; some clients measure bandwidth by them.
  public var pings = 5000
  /// The period for which `pings` is the limit.
  public var pingPeriod: Duration = .seconds(30)

  /// Bytes of messages that have not arrived whole, in one connection…
  public var unfinishedBytesPerConnection = 32 << 20
  /// …and in all of them.
  public var unfinishedBytes = 256 << 20
  /// Bytes of answers that wait for the client to read, in one connection…
  public var unreadBytesPerConnection = 64 << 20
  /// …in all connections of one address…
  public var unreadBytesPerAddress = 256 << 20
  /// …and in all of them.
  public var unreadBytes = 512 << 20

  /// From a connection's beginning until the client has greeted as HTTP/2 does.
  public var greeting: Duration = .seconds(5)
  /// From then on to its first call.
  public var firstCall: Duration = .seconds(30)
  /// How long a connection may be without calls.
  public var idle: Duration = .seconds(300)
  /// For a request to arrive whole: a unary call's only one, a stream's first, the next of an
  /// import, and the rest of any that has begun.
  public var request: Duration = .seconds(60)
  /// For a client's machine that does not answer; then it is taken for gone. From 4 seconds to a day.
  public var deadPeer: Duration = .seconds(60)

  /// The limits of a server on one machine, for clients that behave.
  public init() {}
}
