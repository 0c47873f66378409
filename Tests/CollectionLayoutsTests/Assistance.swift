// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import Dispatch
import TestSupport

/// A second thread that takes part in a computation.
struct Assistance: LayoutAssistance {
  let thread: LentThread
  /// Whether what is lent runs at once on the calling thread, so that the order of all steps is
  /// known.
  var isAtOnce = false
  /// What the thread signals once it has begun; nil = nobody waits for that.
  var begun: DispatchSemaphore?

  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    let isLent = isAtOnce ? thread.runAtOnce(assist) : thread.lend(assist)
    begun?.wait()
    return isLent
  }
}
