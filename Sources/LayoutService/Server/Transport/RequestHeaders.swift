// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRPCCore
internal import LayoutProtocol
internal import NIOHPACK

/// Checks the headers of a call before the gRPC library reads them, which traps on some.
enum RequestHeaders {
  /// What is wrong with the headers; nil = nothing.
  ///
  /// - Parameter limit: the most bytes of all headers, as HTTP/2 counts them.
  static func problem(_ headers: HPACKHeaders, limit: Int) -> LayoutProblem? {
    let bytes = byteCount(headers)
    guard bytes <= limit else {
      var problem = LayoutProblem.messageTooLarge(found: bytes, limit: limit)
      problem.message =
        "The headers have \(bytes) bytes, with 32 for each of them; at most \(limit) are allowed."
      return problem
    }
    // Comparing other texts can take long, and gRPC's headers have none.
    if let other = headers.first(where: { !$0.name.isASCIIText || !$0.value.isASCIIText }) {
      return .fieldInvalid(
        other.name.isASCIIText ? printable(other.name[...]) : "metadata",
        "bytes other than ASCII found; names and values of headers are ASCII, and binary ones Base64"
      )
    }
    for value in headers.values(forHeader: CallTimeout.header) where !CallTimeout.isTimeout(value) {
      return .fieldInvalid(
        CallTimeout.header,
        "\"\(printable(value))\" found; one to eight digits and H, M, S, m, u or n are needed"
      )
    }
    let encodings = Array(headers.values(forHeader: "grpc-encoding"))
    guard let other = encodings.first(where: { $0 != "identity" }) else {
      guard encodings.count > 1 else { return nil }
      return .fieldInvalid("grpc-encoding", "\(encodings.count) values found; one is allowed")
    }
    return LayoutProblem(
      code: .unimplemented,
      reason: .none,
      message: "grpc-encoding: \"\(printable(other))\" found; only \"identity\" is supported"
    )
  }

  /// The size of a header list (RFC 9113 §6.5.2).
  private static func byteCount(_ headers: HPACKHeaders) -> Int {
    headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }

  /// At most a line of the client's text, without control characters for terminals.
  private static func printable(_ text: Substring) -> String {
    String(
      text.unicodeScalars.prefix(40).map { (" " ... "~").contains($0) ? Character($0) : "?" }
    )
  }
}

extension StringProtocol {
  /// Whether the text is ASCII. Takes one step per byte, whatever they are.
  package var isASCIIText: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension HPACKHeaders {
  /// The headers that end a failed call.
  ///
  /// - Parameter followHeaders: whether the answer has begun; otherwise these are all of it.
  init(_ problem: LayoutProblem, followHeaders: Bool) {
    self.init()
    if !followHeaders {
      add(name: ":status", value: "200")
      add(name: "content-type", value: "application/grpc")
      add(name: "grpc-accept-encoding", value: "identity")
    }
    add(name: "grpc-status", value: String(Status.Code(problem.code).rawValue))
    add(name: "grpc-message", value: Self.percentEncoded(problem.rpcErrorMessage))
    for (key, value) in problem.rpcErrorMetadata {
      switch value {
      case .string(let text): add(name: key, value: text)
      case .binary(let bytes): add(name: key, value: Data(bytes).base64EncodedString())
      }
    }
  }

  /// gRPC's encoding of status messages: hexadecimal except printable ASCII without the percent
  /// sign.
  private static func percentEncoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if (0x20 ... 0x7e).contains(byte), byte != UInt8(ascii: "%") {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }
}
