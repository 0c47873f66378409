// SPDX-License-Identifier: Apache-2.0

/// A program that places a layout, as the server last saw it.
public struct LayoutProviderStatus: Hashable, Sendable {
  /// Where it is.
  public var configuration: LayoutProviderConfiguration
  /// Whether it came after the server began.
  public var isRegistered = false
  /// Whether it answered when it was asked last.
  public var isHealthy = false
  /// What was wrong when it was asked last; nil = nothing, or it was not asked yet.
  public var problem: String?
  /// Answers with elements.
  public var answers = 0
  /// Of these, those that told only what a change moved.
  public var updates = 0
  /// Calls that failed; those that it refused for their parameters do not count.
  public var faults = 0
  /// What it says of the layout, for people.
  public var description = ""
  /// What the layout's parameters may be, as a JSON schema; "" = it says nothing.
  public var parametersSchema = ""
}
