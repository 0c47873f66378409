// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
import LayoutGeometry

extension Wire.LayoutSpec {
  /// The message of a layout with all of its fields set, so that it does not depend on defaults.
  ///
  /// - Returns: nil = the layout, or a variant of it, is neither built in nor a
  ///   `CustomCollectionLayout`.
  package init?(_ configuration: LayoutConfiguration) {
    self.init()
    switch configuration.layout {
    case let layout as FlowLayout: flow = Wire.FlowLayout(layout)
    case let layout as ListLayout: list = Wire.ListLayout(layout)
    case let layout as GridLayout: grid = Wire.GridLayout(layout)
    case let layout as WaterfallLayout: waterfall = Wire.WaterfallLayout(layout)
    case let layout as GridLanesLayout: gridLanes = Wire.GridLanesLayout(layout)
    case let layout as TableLayout: table = Wire.TableLayout(layout)
    case let layout as CompositionalLayout: compositional = Wire.CompositionalLayout(layout)
    case let layout as LineLayout: line = Wire.LineLayout(layout)
    case let layout as CircleLayout: circle = Wire.CircleLayout(layout)
    case let layout as CarouselLayout: carousel = Wire.CarouselLayout(layout)
    case let layout as StackLayout: stack = Wire.StackLayout(layout)
    case let layout as SpatialLayout: spatial = Wire.SpatialLayout(layout)
    case let layout as SectionsLayout: sections = Wire.SectionsLayout(layout)
    case let layout as ResponsiveLayout:
      guard let message = Wire.ResponsiveLayout(layout) else { return nil }
      responsive = message
    case let layout as any CustomCollectionLayout:
      custom = Wire.CustomLayout(name: type(of: layout).name, parameters: layout.parameters)
    default: return nil
    }
    setOptions(configuration.options)
    scrollEffects = configuration.scrollEffects.map { Wire.ScrollEffect($0) }
  }

  /// The message of a custom layout that is registered with the server, which need not exist here.
  package init(
    customNamed name: String,
    parameters: [String: CustomValue] = [:],
    options: LayoutOptions = .init()
  ) {
    self.init()
    custom = Wire.CustomLayout(name: name, parameters: parameters)
    setOptions(options)
  }

  private mutating func setOptions(_ options: LayoutOptions) {
    sectionBackgrounds = options.sectionBackgrounds.map { Wire.SectionBackground($0) }
    if let animation = options.appearing { appearing = Wire.AppearanceAnimation(animation) }
    if let animation = options.disappearing { disappearing = Wire.AppearanceAnimation(animation) }
    appearanceRules = options.appearanceRules.map { Wire.AppearanceRule($0) }
    switch options.scrollSnap {
    case nil: scrollSnap = .unspecified
    case .some(.none): scrollSnap = .none
    case .itemCenter: scrollSnap = .itemCenter
    case .itemLeading: scrollSnap = .itemLeading
    case .page: scrollSnap = .page
    }
    if let targets = options.scrollTargets { scrollTargets = Wire.ScrollTargets(targets) }
    pixelAligned = options.isPixelAligned
  }
}

extension Wire.CustomLayout {
  fileprivate init(name: String, parameters: [String: CustomValue]) {
    self.init()
    self.name = name
    if !parameters.isEmpty { self.parameters = .init(parameters) }
  }
}

extension Wire.InsetsReference {
  init(_ reference: InsetsReference) {
    switch reference {
    case .automatic: self = .automatic
    case .none: self = .none
    case .safeArea: self = .safeArea
    case .layoutMargins: self = .layoutMargins
    case .readableContent: self = .readableContent
    }
  }
}

extension Wire.SectionBackground {
  init(_ background: SectionBackground) {
    self.init()
    kind = background.kind
    if background.insets != .zero { insets = Wire.EdgeInsets(background.insets) }
    zIndex = Int32(clamping: background.zIndex)
    sections = (background.sections ?? []).sorted().map { UInt32(clamping: $0) }
    if let custom = background.custom { self.custom = .init(custom) }
  }
}

extension Wire.ScrollTargets {
  fileprivate init(_ targets: ScrollTargets) {
    self.init()
    switch targets.unit {
    case nil: unit = .unspecified
    case .items: unit = .items
    case .groups: unit = .groups
    }
    anchor = targets.anchor
    kindAnchors = targets.kindAnchors.sorted { $0.key < $1.key }.map { kind, anchor in
      var message = Wire.KindAnchor()
      message.kind = kind
      message.anchor = anchor
      return message
    }
    atMostOne = targets.isLimitedToOne
  }
}
