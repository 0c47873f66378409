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
  private let methods: [String: MethodDescriptor]

  init(_ methods: [MethodDescriptor]) {
    self.methods = Dictionary(
      methods.map { ($0.path, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Unknown methods end at once, whatever their shape.
  subscript(path: String) -> CallShape { methods[path].map { CallShape($0.type) } ?? .conversation }

  /// The descriptor with the type of its method, as HTTP/2 calls have it; without it, it would be
  /// unequal to that.
  func typed(_ method: MethodDescriptor) -> MethodDescriptor { methods[method.path] ?? method }
}

extension MethodDescriptor {
  /// The path of the method, as in HTTP/2.
  var path: String { "/\(fullyQualifiedMethod)" }
}
