// SPDX-License-Identifier: Apache-2.0

/// The limits of connections: their cost, and how long they may wait.
///
/// An address is an IPv4 address or an IPv6 /64 network. Clients behind one proxy share its
/// address.
public struct TransportLimits: Hashable, Sendable {
  /// Open connections. Further ones are closed at once.
  public var connections = 16_384
  /// Open connections of one address.
  public var connectionsPerAddress = 4096
  /// Connections that one address may open in ten seconds, all of which may come at once.
  public var newConnectionsPerAddress = 5000
  /// Open calls of one connection.
  public var streamsPerConnection = 128
  /// Bytes that a client may send ahead, for each stream and for the connection.
  public var windowBytes = 1 << 20

  /// Frames that a connection may send per second; above that it is read more slowly. DATA counts
  /// by its messages, of which scroll steps and acknowledgements of layout streams are free, except
  /// that eight that come one to a frame count once. Small frames that wait for their call count.
  /// HEADERS and RST_STREAM count ten times. An address may send four times as many.
  public var framesPerSecond = 50_000
  /// Calls that one address may reset in 30 seconds; above that, connections that keep resetting
  /// are closed, and new connections of the address are refused. Calls whose connection ends within
  /// a second of their beginning count too; breaking the protocol counts as 50. One connection may
  /// reset 200.
  public var resetsPerAddress = 2000
  /// PINGs that a connection may send per `pingPeriod`; some clients measure bandwidth with them.
  public var pings = 5000
  /// The period of `pings`.
  public var pingPeriod: Duration = .seconds(30)

  /// Bytes of incomplete messages in one connection…
  public var unfinishedBytesPerConnection = 32 << 20
  /// …and in all of them. Those of one address may have a third of what is left, so at most a
  /// quarter.
  public var unfinishedBytes = 256 << 20
  /// Bytes of answers that wait for the client to read, in one connection…
  public var unreadBytesPerConnection = 64 << 20
  /// …in all connections of one address…
  public var unreadBytesPerAddress = 256 << 20
  /// …and in all of them. Those of one address may have as much as is left.
  public var unreadBytes = 512 << 20

  /// How long a client may take from the beginning of a connection to the HTTP/2 greeting.
  public var greeting: Duration = .seconds(5)
  /// How long it may take from the greeting to its first call.
  public var firstCall: Duration = .seconds(30)
  /// How long a connection may be without calls.
  public var idle: Duration = .seconds(300)
  /// How long a request may take to arrive: a unary call's only message, a stream's first, an
  /// import's next, and the rest of any that has begun.
  public var request: Duration = .seconds(60)
  /// How long a client's machine may not answer before it counts as gone: from 4 seconds to a day.
  public var deadPeer: Duration = .seconds(60)

  /// Creates limits for a server on one machine with well-behaved clients.
  public init() {}
}
