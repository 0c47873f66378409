// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// What client and owner agreed on when the session was opened, which seldom changes afterwards.
///
/// It is kept outside of the session, so that sessions in the same state share it.
struct SessionTerms: Sendable {
  /// What was negotiated with the client.
  var capabilities: ClientCapabilities
  /// The client's options, brought within their ranges.
  var options: SessionOptions
  /// Of batches for the session's own contents.
  let contentsLimits: ContentsLimits
  /// The most elements that the client may have.
  let maxElements: Int
  /// The most items that the viewer may expand or collapse other than the base.
  let maxExpansionExceptions: Int
  /// How long the client may leave frames unacknowledged.
  let patience: ClientPatience

  init(_ parameters: SessionParameters) {
    capabilities = parameters.capabilities
    options = parameters.options.granted
    var limits = parameters.contentsLimits
    // Batches of the session's own contents are applied within the event.
    limits.outlineSteps = min(limits.outlineSteps, SessionLimits.eventSteps)
    contentsLimits = limits
    maxElements = parameters.maxElements
    maxExpansionExceptions = parameters.maxExpansionExceptions
    patience = parameters.patience
  }
}

extension ViewportSession {
  /// What was negotiated with the client.
  public internal(set) var capabilities: ClientCapabilities {
    _read { yield terms.value.capabilities }
    set {
      var changed = terms.value
      changed.capabilities = newValue
      terms = Boxed(changed)
    }
  }

  /// The client's options, brought within their ranges.
  public internal(set) var options: SessionOptions {
    _read { yield terms.value.options }
    set {
      var changed = terms.value
      changed.options = newValue
      terms = Boxed(changed)
    }
  }

  var contentsLimits: ContentsLimits { terms.value.contentsLimits }
  var maxElements: Int { terms.value.maxElements }
  var maxExpansionExceptions: Int { terms.value.maxExpansionExceptions }
}
