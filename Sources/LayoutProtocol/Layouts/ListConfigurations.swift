// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// MARK: - Messages to values

extension FieldReader {
  /// Reads a list, which is the current message.
  mutating func listConfiguration(_ message: Wire.ListConfiguration) -> ListConfiguration {
    ListConfiguration(
      appearance: appearance(message.appearance),
      headerMode: headerMode(message.headerMode),
      footerMode: footerMode(message.footerMode),
      idiom: idiom(message.idiom),
      headerTopPadding: message.hasHeaderTopPadding
        ? length(message.headerTopPadding, "header_top_padding") : nil,
      estimatedRowHeight: message.hasEstimatedRowHeight
        ? length(message.estimatedRowHeight, "estimated_row_height") : nil,
      contentInsets: message.hasContentInsets
        ? insets(message.contentInsets, "content_insets") : nil,
      showsSeparators: message.hasShowsSeparators ? message.showsSeparators : true,
      separatorThickness: message.hasSeparatorThickness
        ? length(message.separatorThickness, "separator_thickness") : nil,
      separator: separator(message.separator),
      rowSeparators: each(message.rowSeparators, "row_separators") { row, reader in
        ListConfiguration.RowSeparator(
          cellKind: reader.text(row.cellKind, "cell_kind", maxBytes: FieldReader.maxNameBytes),
          separator: reader.separator(row.separator)
        )
      }
    )
  }

  private mutating func appearance(
    _ message: Wire.ListConfiguration.Appearance
  ) -> ListConfiguration.Appearance {
    choice(message, "appearance") { appearance -> ListConfiguration.Appearance? in
      switch appearance {
      case .unspecified, .plain: .plain
      case .grouped: .grouped
      case .insetGrouped: .insetGrouped
      case .sidebar: .sidebar
      case .sidebarPlain: .sidebarPlain
      case .UNRECOGNIZED: nil
      }
    } ?? .plain
  }

  private mutating func headerMode(
    _ message: Wire.ListConfiguration.HeaderMode
  ) -> ListConfiguration.HeaderMode {
    choice(message, "header_mode") { mode -> ListConfiguration.HeaderMode? in
      switch mode {
      case .unspecified, .none: ListConfiguration.HeaderMode.none
      case .supplementary: .supplementary
      case .firstItemInSection: .firstItemInSection
      case .UNRECOGNIZED: nil
      }
    } ?? .none
  }

  private mutating func footerMode(
    _ message: Wire.ListConfiguration.FooterMode
  ) -> ListConfiguration.FooterMode {
    choice(message, "footer_mode") { mode -> ListConfiguration.FooterMode? in
      switch mode {
      case .unspecified, .none: ListConfiguration.FooterMode.none
      case .supplementary: .supplementary
      case .UNRECOGNIZED: nil
      }
    } ?? .none
  }

  private mutating func idiom(
    _ message: Wire.ListConfiguration.Idiom
  ) -> ListConfiguration.Idiom {
    choice(message, "idiom") { idiom -> ListConfiguration.Idiom? in
      switch idiom {
      case .unspecified, .phone: .phone
      case .mac: .mac
      case .UNRECOGNIZED: nil
      }
    } ?? .phone
  }

  private mutating func separator(_ message: Wire.ListSeparator) -> ListSeparator {
    within("separator") { reader in
      ListSeparator(
        topVisibility: reader.visibility(message.topVisibility, "top_visibility"),
        bottomVisibility: reader.visibility(message.bottomVisibility, "bottom_visibility"),
        topInsets: message.hasTopInsets ? reader.insets(message.topInsets, "top_insets") : .zero,
        bottomInsets: message.hasBottomInsets
          ? reader.insets(message.bottomInsets, "bottom_insets") : .zero
      )
    }
  }

  private mutating func visibility(
    _ message: Wire.ListSeparator.Visibility,
    _ name: StaticString
  ) -> ListSeparator.Visibility {
    choice(message, name) { visibility -> ListSeparator.Visibility? in
      switch visibility {
      case .unspecified, .automatic: .automatic
      case .visible: .visible
      case .hidden: .hidden
      case .UNRECOGNIZED: nil
      }
    } ?? .automatic
  }
}

// MARK: - Values to messages

extension Wire.ListConfiguration {
  init(_ list: ListConfiguration) {
    self.init()
    // The raw values of these enumerations are the numbers of the messages'.
    appearance = .init(rawValue: Int(list.appearance.rawValue)) ?? .unspecified
    headerMode = .init(rawValue: Int(list.headerMode.rawValue)) ?? .unspecified
    footerMode = .init(rawValue: Int(list.footerMode.rawValue)) ?? .unspecified
    idiom = .init(rawValue: Int(list.idiom.rawValue)) ?? .unspecified
    if let padding = list.headerTopPadding { headerTopPadding = padding }
    if let height = list.estimatedRowHeight { estimatedRowHeight = height }
    if let insets = list.contentInsets { contentInsets = Wire.EdgeInsets(insets) }
    showsSeparators = list.showsSeparators
    if let thickness = list.separatorThickness { separatorThickness = thickness }
    separator = Wire.ListSeparator(list.separator)
    rowSeparators = list.rowSeparators.map { row in
      var message = Wire.RowSeparator()
      message.cellKind = row.cellKind
      message.separator = Wire.ListSeparator(row.separator)
      return message
    }
  }
}

extension Wire.ListSeparator {
  fileprivate init(_ separator: ListSeparator) {
    self.init()
    topVisibility = .init(rawValue: Int(separator.topVisibility.rawValue)) ?? .unspecified
    bottomVisibility = .init(rawValue: Int(separator.bottomVisibility.rawValue)) ?? .unspecified
    if separator.topInsets != .zero { topInsets = Wire.EdgeInsets(separator.topInsets) }
    if separator.bottomInsets != .zero { bottomInsets = Wire.EdgeInsets(separator.bottomInsets) }
  }
}
