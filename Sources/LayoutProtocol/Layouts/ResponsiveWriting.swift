// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts

extension Wire.ResponsiveLayout {
  /// - Returns: nil = the layout of a variant cannot be expressed as a message.
  init?(_ layout: ResponsiveLayout) {
    self.init()
    for variant in layout.variants {
      guard let spec = Wire.LayoutSpec(variant.configuration) else { return nil }
      var message = Wire.LayoutVariant()
      message.condition = Wire.LayoutCondition(variant.condition)
      message.layout = spec
      variants.append(message)
    }
    guard let spec = Wire.LayoutSpec(layout.otherwise) else { return nil }
    otherwise = spec
    animated = layout.isAnimated
  }
}

extension Wire.LayoutCondition {
  fileprivate init(_ condition: LayoutCondition) {
    self.init()
    if let width = condition.minimumWidth { minWidth = width }
    if let width = condition.widthBelow { belowWidth = width }
    if let height = condition.minimumHeight { minHeight = height }
    if let height = condition.heightBelow { belowHeight = height }
    if let scale = condition.minimumDisplayScale { minDisplayScale = scale }
    if let scale = condition.displayScaleBelow { belowDisplayScale = scale }
    if let isRightToLeft = condition.isRightToLeft { rightToLeft = isRightToLeft }
    requiredTraits = condition.requiredTraits.sorted()
    excludedTraits = condition.excludedTraits.sorted()
    horizontalSizeClass = Wire.SizeClass(condition.horizontalSizeClass)
    verticalSizeClass = Wire.SizeClass(condition.verticalSizeClass)
  }
}

extension Wire.SizeClass {
  /// nil = unspecified.
  init(_ sizeClass: SizeClass?) {
    switch sizeClass {
    case nil: self = .unspecified
    case .compact: self = .compact
    case .regular: self = .regular
    }
  }
}
