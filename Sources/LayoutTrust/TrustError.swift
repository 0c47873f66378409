// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a file of the configuration, for the operator.
public struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, and what is wrong with it.
  public var description: String

  /// An error in these words.
  public init(_ description: String) { self.description = description }
}
