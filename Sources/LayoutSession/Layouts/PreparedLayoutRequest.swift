// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

/// The prepared layout that a session needs for its next frame.
public struct PreparedLayoutRequest: Sendable {
  /// Grows with everything that makes another prepared layout necessary.
  public let id: UInt64
  public let contents: CollectionContents
  public let dataVersion: UInt64
  /// Whether `contents` are the collection's own at `dataVersion`, so that the prepared layout can
  /// be shared; false for private contents and where the session measured or moves elements.
  public let isShareable: Bool
  public let configuration: LayoutConfiguration
  /// The significant parts of the session's container.
  public let container: LayoutContainer
  /// An older prepared layout of the same configuration and container, and what has happened to
  /// its contents since.
  public let derivation: Derivation?
  let role: Role
  /// How far the first frame reaches, and well beyond, since what stands at the cut may change by what
  /// comes behind it; nil = this is not for a first frame.
  let visibleEnd: Size?

  enum Role: Sendable { case current, target }

  public struct Derivation: Sendable {
    public let base: any PreparedLayout
    /// The collection's data version that `base` is of, where the first change leads to the version
    /// after it, and so on up to `dataVersion`. nil = there are changes among them that no version of
    /// the collection stands for, such as those of a cancelled movement: `base` and `changes` then
    /// lead to the right layout, and none in between is fit to be shared.
    public let baseVersion: UInt64?
    /// In order; the last one leads to `contents`.
    public let changes: [ContentsChange]
  }

  /// Makes the prepared layout on the spot, derived where that is possible.
  public func prepare() -> any PreparedLayout {
    if let derivation {
      return derivation.changes.reduce(derivation.base) { base, change in
        configuration.layout.update(base, by: change)
      }
    }
    return configuration.layout.prepare(context(of: contents))
  }

  /// The same within limits that are checked while it works.
  ///
  /// - Throws: why the work had to end.
  public func prepare(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    guard let derivation else {
      return try configuration.layout.prepare(context(of: contents), work: work)
    }
    var prepared = derivation.base
    for change in derivation.changes {
      prepared = try configuration.layout.update(prepared, by: change, work: work)
    }
    return prepared
  }

  func context(of contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container, options: configuration.options)
  }
}
