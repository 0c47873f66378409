// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// A responsive layout with its size; a class, see `Boxed`.
final class ResponsiveRules: Sendable {
  /// The layout as the client or the collection gave it.
  let configuration: LayoutConfiguration
  let layout: ResponsiveLayout
  /// The memory that all variants take, in bytes: an estimate.
  let byteCount: Int

  /// - Returns: nil = the layout is not responsive.
  init?(_ configuration: LayoutConfiguration) {
    guard let layout = configuration.layout as? ResponsiveLayout else { return nil }
    self.configuration = configuration
    self.layout = layout
    byteCount = configuration.byteCount
  }
}

/// Which variant of a responsive layout counts for a viewer.
struct VariantChoice: Sendable {
  let rules: ResponsiveRules
  private var index: Int

  /// - Returns: nil = the layout is not responsive.
  init?(_ configuration: LayoutConfiguration, in environment: LayoutEnvironment) {
    guard let rules = ResponsiveRules(configuration) else { return nil }
    self.rules = rules
    index = rules.layout.variant(in: environment)
  }

  /// The layout that counts, which is not responsive.
  func configuration(in environment: LayoutEnvironment) -> LayoutConfiguration {
    rules.layout.configuration(ofVariant: index).resolved(in: environment)
  }

  /// Decides again.
  ///
  /// - Returns: whether another variant counts than before.
  mutating func follow(_ environment: LayoutEnvironment) -> Bool {
    let old = index
    index = rules.layout.variant(in: environment)
    return index != old
  }
}

extension ViewportSession {
  /// What the conditions of responsive layouts are held against.
  var environment: LayoutEnvironment {
    LayoutEnvironment(wholeContainer, traits: traits?.value ?? .none)
  }

  /// The session's layout as the client or the collection gave it: responsive, where it is.
  var givenConfiguration: LayoutConfiguration { choice?.rules.configuration ?? configuration }

  /// Takes the variants that count now that the viewport or its traits have changed. Another
  /// variant is another layout, so that all is as after a `LayoutChange`; only a transition under
  /// the user's control goes on, with the progress that it has.
  mutating func followEnvironment() {
    guard choice != nil || target?.choice != nil else { return }
    let environment = environment
    var isChanged = false
    if choice?.follow(environment) == true, let choice {
      isChanged = use(choice.configuration(in: environment))
      if isChanged, choice.rules.layout.isAnimated, target == nil { isAnimationWanted = true }
    }
    if target?.choice?.follow(environment) == true, let choice = target?.choice {
      let next = choice.configuration(in: environment)
      if next != target?.configuration {
        target?.boxedConfiguration = Boxed(next)
        geometry += 1
        isChanged = true
      }
    }
    guard isChanged else { return }
    presentedLayoutChanged()
    dropLostSectionOffsets()
    containerChanged()
  }

  /// Takes another layout, which is not responsive.
  ///
  /// - Returns: whether it differs from the one before.
  mutating func use(_ layout: LayoutConfiguration) -> Bool {
    guard layout != configuration else { return false }
    configuration = layout
    geometry += 1
    isLayoutChanged = true
    return true
  }
}
