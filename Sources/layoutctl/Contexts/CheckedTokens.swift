// SPDX-License-Identifier: Apache-2.0

import LayoutClient

/// The tokens of a command: each is checked, and a fault says what the token was to come from.
actor CheckedTokens: TokenProvider {
  private let provider: any TokenProvider
  /// An option, a variable or a key of the context.
  private let source: String
  /// The token that was asked for before the connection, until the connection takes it.
  private var first: AccessToken?
  /// Why there was no token when the provider was last asked; nil = there was one.
  private(set) var fault: CommandFault?

  /// The characters that a header can have. A line break ends the connection without a reason.
  private static let allowed: ClosedRange<UInt8> = 0x20 ... 0x7e

  init(_ provider: any TokenProvider, from source: String) {
    self.provider = provider
    self.source = source
  }

  /// Asks for a token before there is a connection, whose server has to answer in less time than a
  /// program that makes tokens may take.
  ///
  /// - Throws: `CommandFault` that names the source.
  @discardableResult
  func prepare() async throws -> AccessToken {
    let token = try await ask()
    first = token
    return token
  }

  func token() async throws -> AccessToken {
    if let first {
      self.first = nil
      return first
    }
    return try await ask()
  }

  private func ask() async throws -> AccessToken {
    do {
      let token = try await provider.token()
      guard token.value.utf8.allSatisfy(Self.allowed.contains) else {
        throw CommandFault(
          "the token has a line break, or another character that is not visible ASCII; one line "
            + "of visible ASCII characters is allowed",
          status: .usage
        )
      }
      fault = nil
      return token
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let cause = error as? CommandFault
      let found = CommandFault(
        "\(source): \(cause?.message ?? "\(error)")",
        status: cause?.status ?? .usage
      )
      fault = found
      throw found
    }
  }
}
