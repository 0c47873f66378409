// SPDX-License-Identifier: Apache-2.0

/// The state of a program that places a layout, as the server last saw it.
public struct LayoutProviderStatus: Hashable, Sendable {
  /// Where the program is.
  public var configuration: LayoutProviderConfiguration
  /// Whether it was registered while the server ran.
  public var isRegistered = false
  /// Whether it answered the last call.
  public var isHealthy = false
  /// What was wrong at the last call; nil = nothing, or it was not called yet.
  public var problem: String?
  /// The number of answers with elements.
  public var answers = 0
  /// How many of these had only what a change moved.
  public var updates = 0
  /// The number of failed calls, without those that the program refused for their parameters.
  public var faults = 0
  /// The program's description of the layout, for people.
  public var description = ""
  /// A JSON schema of the layout's parameters; "" = the program gives none.
  public var parametersSchema = ""
}
