// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// Runs `body`, and cancels `wake` when the call is cancelled, its deadline passes or the server
/// goes away.
func withRPCWake<Result: Sendable>(
  _ wake: WakeSignal,
  _ body: () async throws -> Result
) async throws -> Result {
  try await withRPCCancellationHandler {
    try await body()
  } onCancelRPC: {
    wake.cancel()
  }
}
