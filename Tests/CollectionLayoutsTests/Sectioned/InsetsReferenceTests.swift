// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Insets references", .timeLimit(.minutes(2)))
struct InsetsReferenceTests {
  private static let safe = EdgeInsets(top: 10, leading: 44, bottom: 21, trailing: 50)

  private static func container(
    insets: EdgeInsets = .zero,
    isRightToLeft: Bool = false,
    references: ReferenceInsets = ReferenceInsets(
      safeArea: safe,
      layoutMargins: EdgeInsets(top: 8, leading: 60, bottom: 8, trailing: 70)
    )
  ) -> LayoutContainer {
    LayoutContainer(
      size: Size(width: 400, height: 300),
      insets: insets,
      isRightToLeft: isRightToLeft,
      references: references
    )
  }

  /// Rows over the whole width of a section, in a compositional layout.
  private static func rows(
    _ axis: ScrollAxis = .vertical,
    _ reference: InsetsReference = .automatic
  ) -> CompositionalLayout {
    CompositionalLayout(
      scrollAxis: axis,
      sections: [
        CompositionalSection(
          group: LayoutGroup(
            axis: axis == .vertical ? .horizontal : .vertical,
            size: axis == .vertical
              ? LayoutSize(width: .fractionalWidth(1), height: .absolute(40))
              : LayoutSize(width: .absolute(40), height: .fractionalHeight(1)),
            subitems: [
              .item(
                LayoutItem(
                  size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1))
                )
              )
            ]
          ),
          contentInsets: EdgeInsets(top: 1, leading: 2, bottom: 3, trailing: 4),
          contentInsetsReference: reference
        )
      ]
    )
  }

  private static func firstCell(
    _ layout: some CollectionLayout,
    in container: LayoutContainer
  ) -> Rect? {
    let context = LayoutContext(contents: plainContents(3), container: container)
    return layout.prepare(context).cell(0, 0, Viewport(of: container))?.frame
  }

  // MARK: - Where sections lie

  @Test("a compositional section keeps to the safe area unless it is told otherwise")
  func safeAreaByDefault() {
    let container = Self.container()
    #expect(
      Self.firstCell(Self.rows(), in: container) == Rect(x: 46, y: 1, width: 300, height: 40)
    )
    #expect(
      Self.firstCell(Self.rows(.vertical, .none), in: container)
        == Rect(x: 2, y: 1, width: 394, height: 40)
    )
    #expect(
      Self.firstCell(Self.rows(.vertical, .layoutMargins), in: container)
        == Rect(x: 62, y: 1, width: 264, height: 40)
    )
    #expect(
      Self.firstCell(Self.rows(.horizontal), in: container)
        == Rect(x: 2, y: 11, width: 40, height: 265)
    )
  }

  @Test("leading is the right edge in right-to-left environments")
  func rightToLeft() {
    #expect(
      Self.firstCell(Self.rows(), in: Self.container(isRightToLeft: true))
        == Rect(x: 54, y: 1, width: 300, height: 40)
    )
  }

  @Test("what content insets cover of the safe area does not count twice")
  func contentInsets() {
    // Content begins 30 inside the leading edge and 60 inside the trailing one.
    let container = Self.container(
      insets: EdgeInsets(top: 0, leading: 30, bottom: 0, trailing: 60)
    )
    #expect(
      Self.firstCell(Self.rows(), in: container)
        == Rect(x: 16, y: 1, width: 400 - 44 - 60 - 6, height: 40)
    )
  }

  @Test("readable content lies in the middle of the margins and is no wider than they leave")
  func readableContent() {
    let margins = EdgeInsets(top: 5, leading: 20, bottom: 6, trailing: 40)
    func readable(_ width: Double) -> EdgeInsets {
      ReferenceInsets(
        safeArea: .zero,
        layoutMargins: margins,
        readableWidth: width,
        viewportWidth: 500
      ).readableContent
    }
    #expect(readable(0) == margins)
    #expect(readable(440) == margins)
    #expect(readable(600) == margins)
    #expect(readable(400) == EdgeInsets(top: 5, leading: 40, bottom: 6, trailing: 60))
  }

  @Test("a section that scrolls by itself starts at the reference; fractions are of the rest")
  func orthogonal() {
    var layout = Self.rows()
    layout.sections[0].orthogonalScrolling = .continuous
    #expect(
      Self.firstCell(layout, in: Self.container()) == Rect(x: 46, y: 1, width: 306, height: 40)
    )
  }

  @Test("boundary elements follow their section's insets, a reference of their own, or neither")
  func boundaryElements() {
    var layout = Self.rows()
    layout.sections[0].boundarySupplementaryItems = [
      BoundarySupplementaryItem(
        kind: "header",
        size: LayoutSize(width: .fractionalWidth(1), height: .absolute(20)),
        alignment: .top
      )
    ]
    layout.boundarySupplementaryItems = [
      BoundarySupplementaryItem(
        kind: "title",
        size: LayoutSize(width: .fractionalWidth(1), height: .absolute(10)),
        alignment: .top
      )
    ]
    func widths(
      _ follows: Bool,
      _ reference: InsetsReference
    ) -> [ClosedRange<Double>?] {
      layout.sections[0].supplementariesFollowContentInsets = follows
      layout.sections[0].supplementaryContentInsetsReference = reference
      let container = Self.container()
      let prepared = layout.prepare(
        LayoutContext(contents: plainContents(3), container: container)
      )
      return ["header", "title"].map {
        prepared.attributes(
          of: .supplementary($0, section: 0),
          viewport: Viewport(of: container)
        ).map { $0.frame.minX ... $0.frame.maxX }
      }
    }
    #expect(widths(true, .automatic) == [46 ... 346, 0 ... 400])
    #expect(widths(false, .automatic) == [0 ... 400, 0 ... 400])
    #expect(widths(true, .none) == [0 ... 400, 0 ... 400])
    #expect(widths(true, .layoutMargins) == [60 ... 330, 0 ... 400])
    #expect(widths(false, .safeArea) == [44 ... 350, 0 ... 400])
  }

  @Test("a flow's insets do not reach out of the content, also where there is no safe area")
  func flowWithoutSafeArea() {
    let layout = FlowLayout(
      itemSize: Size(width: 10, height: 10),
      sectionInset: EdgeInsets(top: 0, leading: 25, bottom: 0, trailing: 5),
      sectionInsetReference: .safeArea
    )
    let container = Self.container(
      insets: EdgeInsets(top: 0, leading: 20, bottom: 0, trailing: 20),
      references: .none
    )
    #expect(Self.firstCell(layout, in: container)?.x == 5)
  }

  // MARK: - Sharing

  private static func layouts() -> [any CollectionLayout] {
    [
      FlowLayout(), ListLayout(), GridLayout(), WaterfallLayout(columns: .count(2)),
      LineLayout(), CircleLayout(), CarouselLayout(), StackLayout(), SpatialLayout(),
      FlowLayout(sectionInsetReference: .none), rows(.vertical, .none),
    ]
  }

  @Test("layouts that measure from the content are shared whatever the other insets are")
  func shared() {
    for layout in Self.layouts() {
      let parts = layout.significantParts(of: Self.container())
      #expect(
        parts == layout.significantParts(of: Self.container(references: .none)),
        "\(layout.kindName)"
      )
      #expect(parts.references.isNone)
    }
  }

  @Test("only those edges of a reference matter that a layout uses and that its content reaches")
  func significant() {
    func parts(
      _ layout: some CollectionLayout,
      _ change: (inout EdgeInsets) -> Void
    ) -> LayoutContainer {
      var safe = Self.safe
      change(&safe)
      return layout.significantParts(
        of: Self.container(references: ReferenceInsets(safeArea: safe, layoutMargins: safe))
      )
    }
    let flow = FlowLayout(sectionInsetReference: .safeArea)
    for layout in [flow as any CollectionLayout, Self.rows(), Self.rows(.vertical, .safeArea)] {
      let whole = parts(layout) { _ in }
      #expect(parts(layout) { $0.top = 99 } == whole)
      #expect(parts(layout) { $0.bottom = 0 } == whole)
      #expect(parts(layout) { $0.leading = 45 } != whole)
      #expect(parts(layout) { $0.trailing = 45 } != whole)
    }
    // Beneath the content insets a safe area moves a flow's insets, as recorded, but no others.
    func covered(_ layout: some CollectionLayout, _ leading: Double) -> LayoutContainer {
      var safe = Self.safe
      safe.leading = leading
      return layout.significantParts(
        of: Self.container(
          insets: EdgeInsets(top: 0, leading: 60, bottom: 0, trailing: 0),
          references: ReferenceInsets(safeArea: safe)
        )
      )
    }
    #expect(covered(Self.rows(), 20) == covered(Self.rows(), 44))
    #expect(covered(flow, 20) != covered(flow, 44))
  }

  @Test("the significant parts of a container lead to the same places", arguments: 0 ..< 4)
  func significantPartsSuffice(batch: UInt64) {
    for seed in batch * 60 ..< batch * 60 + 60 {
      var random = SplitMix64(seed: 7000 + seed)
      let layout: any CollectionLayout =
        random.chance(50) ? random.flow() : random.compositional(isScrolling: false)
      let contents = random.contents()
      let container = random.marginedContainer()
      let parts = layout.significantParts(of: container)
      #expect(layout.significantParts(of: parts) == parts, "seed \(seed)")
      let viewport = Viewport(of: container)
      let whole = layout.prepare(LayoutContext(contents: contents, container: container))
      let shared = layout.prepare(LayoutContext(contents: contents, container: parts))
      #expect(whole.contentSize == shared.contentSize, "seed \(seed)")
      #expect(
        whole.probed(in: .everywhere, viewport) == shared.probed(in: .everywhere, viewport),
        "seed \(seed)"
      )
    }
  }

  @Test("insets that are not finite leave a layout that answers")
  func notFinite() {
    let wild = EdgeInsets(top: .infinity, leading: .nan, bottom: -.infinity, trailing: 1e300)
    let container = Self.container(
      references: ReferenceInsets(safeArea: wild, layoutMargins: wild, readableContent: wild)
    )
    for layout in [Self.rows() as any CollectionLayout, Self.rows(.horizontal, .layoutMargins)] {
      let frame = Self.firstCell(layout, in: container)
      #expect(frame.map { $0.x.isFinite && $0.width.isFinite } == true)
    }
  }
}
