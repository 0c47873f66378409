// SPDX-License-Identifier: Apache-2.0

/// A layout of somebody's own that can be asked for by name.
public protocol CustomCollectionLayout: CollectionLayout {
  /// The name under which it is registered.
  static var name: String { get }

  /// What `init(parameters:findings:)` would make an equal layout from.
  var parameters: [String: CustomValue] { get }

  /// Makes the layout from what a client asked for.
  ///
  /// - Parameter findings: for parameters that it cannot work with; fields are named from the
  ///   parameters on: "petals[2].angle".
  /// - Returns: nil where something was rejected.
  init?(parameters: [String: CustomValue], findings: inout LayoutFindings)
}

extension CustomCollectionLayout {
  public var kindName: String { "custom:\(Self.name)" }
}

/// The layouts that clients may ask for by name, beside the built-in ones.
public struct LayoutRegistry: Sendable {
  /// Makes a layout from its parameters; nil where it rejects some.
  public typealias Factory =
    @Sendable (
      _ parameters: [String: CustomValue], _ findings: inout LayoutFindings
    ) -> (any CollectionLayout)?

  private var factories: [String: Factory] = [:]

  public init() {}

  /// In alphabetical order.
  public var names: [String] { factories.keys.sorted() }

  /// Adds a layout, or replaces one of the same name.
  public mutating func register<Layout: CustomCollectionLayout>(_ layout: Layout.Type) {
    register(name: layout.name) { parameters, findings in
      Layout(parameters: parameters, findings: &findings)
    }
  }

  /// Adds a layout, or replaces one of the same name.
  ///
  /// Clients can be told about such a layout only if it is a `CustomCollectionLayout` as well.
  public mutating func register(name: String, factory: @escaping Factory) {
    factories[name] = factory
  }

  /// What makes the layout of this name; nil = there is none.
  public func factory(named name: String) -> Factory? { factories[name] }
}
