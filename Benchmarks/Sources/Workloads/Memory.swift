// SPDX-License-Identifier: Apache-2.0

import AllocatedBytes
import CollectionLayouts
import CollectionModel

/// What contents and a prepared layout take, in bytes.
public struct Memory: Sendable {
  public let contents: Int
  public let prepared: Int

  /// As the allocator counts them; where it does not tell, as they estimate it themselves.
  public init(_ subject: Subject, count: Int) {
    // What the runtime allocates once for all.
    _ = Stage(subject, count: 1000).prepared
    let dataset = subject.dataset(of: count)
    let start = Self.allocated
    let contents = dataset.contents()
    let afterContents = Self.allocated
    let prepared = subject.layout.prepare(Workload.context(contents))
    let end = Self.allocated
    self.contents = afterContents.map { $0 - (start ?? 0) } ?? contents.approximateByteCount
    self.prepared = end.map { $0 - (afterContents ?? 0) } ?? prepared.byteCount
    withExtendedLifetime((contents, prepared)) {}
  }

  /// The bytes in use; nil where the allocator does not tell.
  public static var allocated: Int? {
    let bytes = allocated_bytes()
    return bytes < 0 ? nil : Int(bytes)
  }
}
