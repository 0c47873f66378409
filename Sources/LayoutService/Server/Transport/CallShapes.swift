// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// What a client has to send before the server can do its part of a call.
enum CallShape: Hashable, Sendable {
  /// One message, and the end.
  case single
  /// Several messages, and the end.
  case messages
  /// A first message; after that the protocol of the method applies.
  case conversation

  init(_ type: MethodDescriptor.RPCType?) {
    switch type {
    case .unary, .serverStreaming: self = .single
    case .clientStreaming: self = .messages
    case .bidirectionalStreaming, .none: self = .conversation
    }
  }
}

/// The shapes of all methods, by path.
struct CallShapes: Sendable {
  private let shapes: [String: CallShape]

  init(_ methods: [MethodDescriptor]) {
    shapes = Dictionary(
      methods.map { ("/\($0.fullyQualifiedMethod)", CallShape($0.type)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Unknown methods end at once, whatever their shape.
  subscript(path: String) -> CallShape { shapes[path] ?? .conversation }
}
