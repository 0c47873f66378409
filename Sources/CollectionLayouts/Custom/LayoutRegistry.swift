// SPDX-License-Identifier: Apache-2.0

/// A layout from outside this package that clients can ask for by name.
public protocol CustomCollectionLayout: CollectionLayout {
  /// The name under which it is registered.
  static var name: String { get }

  /// Parameters from which `init(parameters:findings:)` makes an equal layout.
  var parameters: [String: CustomValue] { get }

  /// Makes the layout from the parameters that a client sent.
  ///
  /// - Parameter findings: takes reports on parameters that the layout cannot work with. Fields are
  ///   named from the parameters on, such as "petals[2].angle".
  /// - Returns: nil if a parameter was rejected.
  init?(parameters: [String: CustomValue], findings: inout LayoutFindings)
}

extension CustomCollectionLayout {
  /// "custom:NAME", with the name under which the layout is registered.
  public var kindName: String { "custom:\(Self.name)" }
}

/// Layouts that come and go while a server runs.
public protocol LayoutSource: Sendable {
  /// Their names in any order.
  var names: [String] { get }

  /// The factory of the layout with this name; nil = there is none now.
  func factory(named name: String) -> LayoutRegistry.Factory?
}

/// The layouts that clients may ask for by name, beside the built-in ones.
public struct LayoutRegistry: Sendable {
  /// Makes a layout from its parameters; returns nil if it rejects some.
  public typealias Factory =
    @Sendable (
      _ parameters: [String: CustomValue], _ findings: inout LayoutFindings
    ) -> (any CollectionLayout)?

  private var factories: [String: Factory] = [:]
  private var sources: [any LayoutSource] = []

  /// Makes a registry without layouts.
  public init() {}

  /// The registered names in alphabetical order.
  ///
  /// - Complexity: O(n log n)
  public var names: [String] {
    Set(factories.keys).union(sources.flatMap(\.names)).sorted()
  }

  /// Registers a layout under its own name. It replaces a layout that is registered under that
  /// name.
  public mutating func register<Layout: CustomCollectionLayout>(_ layout: Layout.Type) {
    register(name: layout.name) { parameters, findings in
      Layout(parameters: parameters, findings: &findings)
    }
  }

  /// Registers a layout under a name. It replaces a layout that is registered under that name.
  ///
  /// Clients can be told about such a layout only if it is a `CustomCollectionLayout` as well.
  public mutating func register(name: String, factory: @escaping Factory) {
    factories[name] = factory
  }

  /// Adds layouts that come and go. They hide registered ones of the same names.
  public mutating func add(_ source: any LayoutSource) { sources.append(source) }

  /// The factory of the layout with this name; nil if no layout has it.
  public func factory(named name: String) -> Factory? {
    for source in sources { if let factory = source.factory(named: name) { return factory } }
    return factories[name]
  }
}
