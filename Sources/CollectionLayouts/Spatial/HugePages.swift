// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Asks for huge pages before much memory is written. Most of the time of writing to fresh memory
/// goes to the kernel, which hands it out page by page.
enum HugePages {
  /// What a page has on x86-64, and on ARM with pages of 4 KiB.
  private static let size = 2 << 20

  /// Asks that some memory consists of large pages. It is a hint, on which nothing depends.
  @unsafe
  static func advise(_ memory: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
    guard memory.count >= 2 * size, let start = memory.baseAddress else { return }
    let first = unsafe start.alignedUp(toMultipleOf: size)
    let length = unsafe (memory.count - start.distance(to: first)) / size * size
    // Whole pages within the memory of the caller.
    _ = unsafe madvise(first, length, MADV_HUGEPAGE)
    #endif
  }
}

extension Array where Element: BitwiseCopyable {
  /// Makes an array of numbers that `fill` writes, all of them.
  ///
  /// Unlike in an array of repeated numbers, each is written once.
  init(count: Int, filledBy fill: (inout MutableSpan<Element>) -> Void) {
    unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
      // The memory of the array itself, of elements that need no initialisation.
      let memory = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<count])
      unsafe HugePages.advise(UnsafeMutableRawBufferPointer(memory))
      var span = unsafe MutableSpan(_unsafeElements: memory)
      fill(&span)
      initialized = count
    }
  }

  /// Reserves memory in large pages.
  mutating func reserveLargePages(_ capacity: Int) {
    reserveCapacity(capacity)
    let bytes = self.capacity * MemoryLayout<Element>.stride
    unsafe withUnsafeMutableBufferPointer { buffer in
      // The memory of the array itself, as far as its capacity reaches.
      guard let start = buffer.baseAddress else { return }
      unsafe HugePages.advise(UnsafeMutableRawBufferPointer(start: start, count: bytes))
    }
  }
}
