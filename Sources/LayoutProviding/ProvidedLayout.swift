// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

/// A function that places items, and the name by which clients request it.
public struct ProvidedLayout: Sendable {
  /// The container in which items are placed, and the client's parameters.
  public struct Environment: Sendable {
    /// A viewport without its offset. The layout must not mirror anything for right-to-left
    /// environments.
    public var container: LayoutContainer
    /// The client's parameters, as JSON.
    public var parameters: [String: CustomValue]

    /// A numeric parameter; `otherwise` if it is not set or not a number.
    public func number(_ name: String, otherwise: Double) -> Double {
      guard case .number(let number)? = parameters[name] else { return otherwise }
      return number
    }
  }

  /// Places the items. May be called concurrently.
  public typealias Place =
    @Sendable (_ items: ItemsToPlace, _ environment: Environment) async throws -> PlacedItems

  /// Returns the same as `Place`, starting from what was placed before the data changed. May be
  /// called concurrently.
  ///
  /// `was` has for each item its number before the change; nil = the item is new or has new values.
  public typealias Update =
    @Sendable (
      _ items: ItemsToPlace, _ environment: Environment, _ before: PlacedItems, _ was: [Int?]
    ) async throws -> PlacedItems

  /// The name: 1 to 128 letters, digits, ".", "_" and "-".
  public var name: String
  /// A description for people; "" = none.
  public var description: String
  /// A JSON schema of the parameters, for an object; "" = none.
  public var parametersSchema: String
  /// The axis along which content grows; nil = both.
  public var scrollAxis: ScrollAxis?
  /// The most items that it places; nil = unlimited.
  public var maxItems: Int?
  /// Places the items.
  public var place: Place
  /// Places them after a change of the data; nil = `place` does.
  public var update: Update?

  /// Creates a layout.
  ///
  /// After a change of the data, servers are sent only what has moved, with or without an `update`.
  ///
  /// - Parameters:
  ///   - update: returns the same as `place`, but may be faster; nil = `place` is called.
  ///   - place: places the items; throws `ParameterFault` if parameters are wrong.
  public init(
    _ name: String,
    description: String = "",
    parametersSchema: String = "",
    scrollAxis: ScrollAxis? = nil,
    maxItems: Int? = nil,
    update: Update? = nil,
    place: @escaping Place
  ) {
    self.name = name
    self.description = description
    self.parametersSchema = parametersSchema
    self.scrollAxis = scrollAxis
    self.maxItems = maxItems
    self.place = place
    self.update = update
  }
}

/// What is wrong with parameters that a client set.
public struct ParameterFault: Error, CustomStringConvertible {
  /// What was found, and what is allowed.
  public let description: String

  /// A fault that names the parameter.
  public init(_ description: String) { self.description = description }
}
