// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

/// A function that places items, with the name by which clients ask for it.
public struct ProvidedLayout: Sendable {
  /// What items are placed in, and the parameters that the client set.
  public struct Environment: Sendable {
    /// A viewport without its offset. Nothing is mirrored for the layout.
    public var container: LayoutContainer
    /// As JSON.
    public var parameters: [String: CustomValue]

    /// A parameter; `otherwise` where it is not set or is no number.
    public func number(_ name: String, otherwise: Double) -> Double {
      guard case .number(let number)? = parameters[name] else { return otherwise }
      return number
    }
  }

  /// Says where items are. May be called several times at once.
  public typealias Place =
    @Sendable (_ items: ItemsToPlace, _ environment: Environment) async throws -> PlacedItems

  /// Says the same as `Place`, starting from what was placed before the data changed. May be called
  /// several times at once.
  ///
  /// `was` has for each item its number then; nil = it is new or has new values.
  public typealias Update =
    @Sendable (
      _ items: ItemsToPlace, _ environment: Environment, _ before: PlacedItems, _ was: [Int?]
    ) async throws -> PlacedItems

  /// The name: 1 to 128 letters, digits, ".", "_" and "-".
  public var name: String
  /// For people; "" = none.
  public var description: String
  /// What parameters may be, as a JSON schema for an object; "" = says nothing.
  public var parametersSchema: String
  /// The axis along which content grows; nil = both.
  public var scrollAxis: ScrollAxis?
  /// The most items that it places; nil = there is no limit.
  public var maxItems: Int?
  /// Says where items are.
  public var place: Place
  /// Says it after a change of the data; nil = `place` does.
  public var update: Update?

  /// A layout.
  ///
  /// After a change of the data servers are sent only what is elsewhere than before, whether there
  /// is an `update` or not.
  ///
  /// - Parameters:
  ///   - update: places the same as `place` and may take less time; nil = `place` is called.
  ///   - place: throws `ParameterFault` if parameters are wrong.
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
