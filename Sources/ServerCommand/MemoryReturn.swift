// SPDX-License-Identifier: Apache-2.0

import CAllocator
import Foundation
import LayoutMetrics
import ServiceLifecycle

/// Decides when freed memory is given back to the system.
///
/// The C library keeps what is freed between memory that is in use. After a wave of large requests
/// that may be gigabytes which nobody else can use.
struct MemoryReturnRule {
  /// Below this many resident bytes nothing is given back.
  static let least = 256 << 20
  /// How much freed memory has to have come since it was last given back, beyond an eighth of what
  /// could not be given back then.
  static let growth = 128 << 20
  /// The process is at rest if no more than this came since it was looked at last.
  static let rest = 16 << 20

  /// The freed bytes that stayed when memory was given back; 0 = it was not yet.
  private var kept = 0
  private var last = 0

  /// Whether to give memory back now.
  ///
  /// - Parameters:
  ///   - resident: the bytes of the process that are in RAM.
  ///   - used: how many bytes are allocated and not freed. Asked only if it matters, since finding
  ///     out takes as long as there are freed pieces.
  mutating func isDue(_ resident: Int, used: () -> Int) -> Bool {
    defer { last = resident }
    guard resident >= Self.least, resident - last <= Self.rest else { return false }
    let freed = max(0, resident - used())
    kept = min(kept, freed)
    return freed - kept >= Self.growth + kept / 8
  }

  /// Notes that memory was given back.
  ///
  /// - Parameters:
  ///   - resident: the bytes of the process that are in RAM now.
  ///   - used: the bytes that are allocated and not freed.
  mutating func gaveBack(_ resident: Int, used: Int) {
    (kept, last) = (max(0, resident - used), resident)
  }
}

/// Gives freed memory back to the system when the process is at rest, as a service of the process's
/// `ServiceGroup`.
struct MemoryReturnService: Service {
  private static let interval = Duration.seconds(5)

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        var rule = MemoryReturnRule()
        while true {
          try await Task.sleep(for: Self.interval)
          guard let resident = ProcessMetrics.residentBytes,
            rule.isDue(resident, used: { Int(clamping: layout_allocator_bytes_in_use()) })
          else { continue }
          await Self.giveBack()
          rule.gaveBack(
            ProcessMetrics.residentBytes ?? resident,
            used: Int(clamping: layout_allocator_bytes_in_use())
          )
        }
      }
    } catch is CancellationError {
      // The server ends.
    }
  }

  /// On a thread of its own: a gigabyte takes a tenth of a second.
  private static func giveBack() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = layout_allocator_give_back()
        continuation.resume()
      }
    }
  }
}
