// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// What flow, list and waterfall layouts put around the items of a section: a header, insets and a
/// footer.
///
/// Along the scroll axis follow header, inset, body, inset and footer. Headers and footers are as
/// wide as the content, whatever the insets; those of length 0 do not exist. An empty section keeps
/// all of it.
struct SectionSurroundings: Hashable, Sendable {
  /// The first two kinds of these layouts.
  static let elementKinds = [StandardKind.header, StandardKind.footer]
  static let headerKind = 0
  static let footerKind = 1

  var inset: EdgeInsets
  var headerLength: Double
  var footerLength: Double
  var pinsHeader: Bool
  var pinsFooter: Bool
  var pinnedZIndex: Int

  /// Takes the section's metrics, and the layout's values for those that it lacks.
  ///
  /// - Parameter reference: what the insets are measured from across the scroll axis.
  init(
    _ metrics: SectionMetrics,
    inset: EdgeInsets,
    reference: InsetsReference = .none,
    headerSize: Size,
    footerSize: Size,
    pinsHeader: Bool,
    pinsFooter: Bool,
    pinnedZIndex: Int = 10,
    in environment: SectionEnvironment
  ) {
    let axis = environment.axis
    self.inset = Self.inset(metrics.inset ?? inset, from: reference, in: environment)
    headerLength = environment.pixelAligned(max(0, axis.main(metrics.headerSize ?? headerSize)))
    footerLength = environment.pixelAligned(max(0, axis.main(metrics.footerSize ?? footerSize)))
    self.pinsHeader = pinsHeader
    self.pinsFooter = pinsFooter
    self.pinnedZIndex = pinnedZIndex
  }

  /// Insets from a reference as insets from the content, as recorded from UIKit: those across the
  /// scroll axis never reach out of the content.
  private static func inset(
    _ inset: EdgeInsets,
    from reference: InsetsReference,
    in environment: SectionEnvironment
  ) -> EdgeInsets {
    guard reference != .automatic, reference != .none else { return inset }
    let distances = environment.container.distances(to: reference, across: environment.axis)
    var result = inset
    switch environment.axis {
    case .vertical:
      result.leading = max(inset.leading + distances.start, 0)
      result.trailing = max(inset.trailing + distances.end, 0)
    case .horizontal:
      result.top = max(inset.top + distances.start, 0)
      result.bottom = max(inset.bottom + distances.end, 0)
    }
    return result
  }

  /// The extent that the insets leave across the scroll axis, in points.
  func crossLength(in environment: SectionEnvironment) -> Double {
    let axis = environment.axis
    return max(0, environment.crossLength - axis.crossStart(inset) - axis.crossEnd(inset))
  }

  /// The solved section around a body.
  func section(
    _ body: (any SectionBody)?,
    itemCount: Int,
    overhang: SolvedSection.Overhang = .none,
    isShareable: Bool = false,
    in environment: SectionEnvironment
  ) -> SolvedSection {
    let axis = environment.axis
    let bodyMain = headerLength + axis.mainStart(inset)
    let footerMain = max(0, bodyMain + (body?.length ?? 0) + axis.mainEnd(inset))
    var elements: [SectionElement] = []
    if headerLength > 0 {
      // A pinned header stops where the footer starts.
      let pin = SectionPin(edge: .start, min: 0, max: footerMain - headerLength)
      elements.append(
        element(
          Self.headerKind,
          main: 0,
          length: headerLength,
          pin: pinsHeader ? pin : nil,
          in: environment
        )
      )
    }
    if footerLength > 0 {
      // A pinned footer stops where the header ends.
      let pin = SectionPin(edge: .end, min: min(headerLength, footerMain), max: footerMain)
      elements.append(
        element(
          Self.footerKind,
          main: footerMain,
          length: footerLength,
          pin: pinsFooter ? pin : nil,
          in: environment
        )
      )
    }
    return SolvedSection(
      length: footerMain + footerLength,
      itemCount: itemCount,
      body: body,
      bodyMain: bodyMain,
      bodyCross: axis.crossStart(inset),
      elements: elements,
      overhang: overhang.union(headOverhang(axis)),
      isShareable: isShareable
    )
  }

  /// How far items and the header may stick out of the section if insets are negative.
  private func headOverhang(_ axis: ScrollAxis) -> SolvedSection.Overhang {
    SolvedSection.Overhang(
      start: max(0, -axis.mainStart(inset)),
      end: max(0, -axis.mainStart(inset), -axis.mainEnd(inset), headerLength)
    )
  }

  private func element(
    _ kind: Int,
    main: Double,
    length: Double,
    pin: SectionPin?,
    in environment: SectionEnvironment
  ) -> SectionElement {
    SectionElement(
      kind: kind,
      frame: AxisRect(
        main: main,
        cross: 0,
        mainLength: length,
        crossLength: environment.crossLength
      ),
      zIndex: pin == nil ? 0 : Int32(clamping: pinnedZIndex),
      pin: pin
    )
  }
}
