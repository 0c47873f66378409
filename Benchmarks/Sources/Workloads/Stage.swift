// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

/// A subject with so many items, on which operations are tried.
public final class Stage {
  public let subject: Subject
  public let dataset: Dataset
  public let context: LayoutContext
  public private(set) lazy var prepared = subject.layout.prepare(context)

  public convenience init(_ subject: Subject, count: Int) {
    let dataset = subject.dataset(of: count)
    self.init(subject, dataset, contents: dataset.contents())
  }

  /// - Parameter contents: those of the dataset, for all stages that have the same.
  public init(_ subject: Subject, _ dataset: Dataset, contents: CollectionContents) {
    self.subject = subject
    self.dataset = dataset
    context = Workload.context(contents)
  }

  /// - Throws: `TrialError` where there is nothing to measure.
  public func trial(of operation: Operation) throws -> any Trial {
    switch operation {
    case .prepare: PreparationTrial(subject.layout, context)
    case .query: QueryTrial(prepared)
    case .scrollMap: ScrollMapTrial(prepared)
    case .edit(let items, let place):
      EditTrial(prepared, subject.layout, dataset.edits(items, at: place), items: items)
    case .diff: ScrollTrial(session())
    case .editedFrame: EditedFrameTrial(session(), dataset.edits(1, at: .middle))
    case .encode(let encoding):
      try EncodingTrial(
        session(encoding: encoding),
        edits: subject.isScrolling ? nil : dataset.edits(1, at: .middle)
      )
    }
  }

  /// In the middle of the content.
  private func session(encoding: ElementEncoding = .packed) -> ScrollingSession {
    ScrollingSession(
      prepared,
      layout: subject.layout,
      capabilities: ClientCapabilities(encoding: encoding)
    )
  }
}
