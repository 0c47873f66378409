// SPDX-License-Identifier: Apache-2.0

import LayoutService
import LayoutTrust

/// Limits of what clients send and keep.
extension ServerOptions {
  /// Layout streams.
  static let streams: [Number] = [
    Number("maxSessions", "open layout streams", 1 ... 1_000_000, \.service.limits.sessions),
    Number(
      "maxUnopenedStreamsPerAddress",
      "layout streams of one address that have not sent their first request",
      1 ... 1_000_000,
      \.service.limits.unopenedStreamsPerAddress
    ),
    Number(
      "maxEventsPerSecond",
      "events of one stream per second in the long run, viewport changes not counted",
      1 ... 100_000,
      \.service.limits.eventsPerSecond
    ),
    Number(
      "maxEventBurst",
      "events of one stream in a burst, viewport changes not counted",
      1 ... 1_000_000,
      \.service.limits.eventBurst
    ),
    Number(
      "maxWaitingEvents",
      "pending events of one stream; when reached, the stream is not read",
      1 ... 10_000,
      \.service.limits.waitingEvents
    ),
    Number(
      "maxWaitingEventBytes",
      "bytes of memory for the pending events of one stream",
      1 ... (1 << 40),
      \.service.limits.waitingEventBytes
    ),
  ]

  /// Contents, updates and answers.
  static let requests: [Number] = [
    Number(
      "maxItems",
      "items in one collection",
      1 ... 1_000_000_000,
      \.service.limits.itemsPerCollection
    ),
    Number(
      "maxSections",
      "sections in one collection",
      1 ... 10_000_000,
      \.service.limits.sectionsPerCollection
    ),
    Number(
      "maxOperations",
      "operations in one batch",
      1 ... 1_000_000,
      \.service.limits.operationsPerBatch
    ),
    Number(
      "maxItemDataBytes",
      "bytes of the data that one item carries for renderers; 0 = none",
      0 ... 4096,
      \.service.limits.itemDataBytes
    ),
    Number(
      "maxExpansions",
      "items of outlines that one session may have expanded or collapsed other than its base",
      1 ... 1_000_000,
      \.service.limits.expansionExceptions
    ),
    Number(
      "maxSharedMeasurementBytes",
      "bytes of the measured sizes that viewers of one collection share; 0 = none",
      0 ... (1 << 34),
      \.service.limits.sharedMeasurementBytes
    ),
    Number(
      "maxElementsPerFrame",
      "elements in one frame",
      1 ... 1_000_000,
      \.service.limits.elementsPerFrame
    ),
    Number(
      "maxElementsPerQuery",
      "elements in the rect of one query, all pages together",
      1 ... 100_000_000,
      \.service.limits.elementsPerQuery
    ),
    Number(
      "maxMessageBytes",
      "bytes of one request",
      1024 ... (1 << 30),
      \.service.limits.messageBytes
    ),
  ]

  /// Quotas of each identity.
  static let identities: [Number] = [
    Number(
      "authLeewayMs",
      "that the clocks of this machine and of those that sign tokens may differ",
      0 ... 3_600_000,
      \.security.leeway
    ),
    Number(
      "maxFailedChecksPerSecond",
      "wrong signed tokens of one address that are verified in a second; ten times as many at once",
      1 ... 1_000_000,
      \.security.failedChecksPerSecond
    ),
    Number(
      "maxSessionsPerIdentity",
      "open layout streams of one identity; 0 = any number",
      0 ... 1_000_000,
      \.service.identity.sessions
    ),
    Number(
      "maxCallsPerIdentity",
      "calls of one identity in a second, layout streams included; 0 = any number",
      0 ... 1_000_000,
      \.service.identity.callsPerSecond
    ),
    Number(
      "maxContentBytesPerIdentity",
      "bytes of the contents of all collections that one identity has created; 0 = any number",
      0 ... (1 << 50),
      \.service.identity.contentBytes
    ),
    Number(
      "maxLayoutBytesPerIdentity",
      "bytes of the prepared layouts that the streams of one identity use; 0 = any number",
      0 ... (1 << 44),
      \.service.identity.layoutBytes
    ),
  ]

  /// Sessions whose stream broke, until they are resumed.
  static let resuming: [Number] = [
    Number(
      "resumeGraceMs",
      "that a session of a shared collection can be resumed after its stream broke",
      0 ... 86_400_000,
      \.service.resume.grace
    ),
    Number(
      "privateResumeGraceMs",
      "that a session of private contents can be resumed after its stream broke",
      0 ... 86_400_000,
      \.service.resume.privateGrace
    ),
    Number(
      "maxDetachedSessions",
      "detached sessions: their stream broke and they can be resumed",
      0 ... 10_000_000,
      \.service.resume.sessions
    ),
    Number(
      "maxDetachedSessionsPerAddress",
      "detached sessions of one address",
      0 ... 10_000_000,
      \.service.resume.sessionsPerAddress
    ),
    Number(
      "maxDetachedBytes",
      "bytes of memory for detached sessions",
      0 ... (1 << 44),
      \.service.resume.bytes
    ),
  ]
}
