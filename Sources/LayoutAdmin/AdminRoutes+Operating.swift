// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import LayoutService
internal import Logging
internal import NIOHTTP1
internal import SwiftProtobuf

/// What operators can do with a running server. The messages are in admin.proto.
extension AdminRoutes {
  // MARK: - Sessions

  func sessions(_ request: AdminRequest) async throws -> AdminResponse {
    try await server.performAside { try list(sessions: request) }
  }

  private func list(sessions request: AdminRequest) throws -> AdminResponse {
    let names = server.sessionNames
    let page = try ListPage(request)
    let wanted = names.drop { !page.token.isEmpty && $0 <= page.token }
    var response = Wire.ListSessionStatusesResponse()
    response.totalSize = UInt32(clamping: names.count)
    response.sessions = wanted.prefix(page.size).compactMap { name in
      server.sessionStatus(named: name).map { message(of: $0) }
    }
    if wanted.count > page.size { response.nextPageToken = wanted.prefix(page.size).last ?? "" }
    return try json(response)
  }

  func endSession(_ request: AdminRequest) throws -> AdminResponse {
    let body: Wire.EndSessionRequest = try message(request)
    guard body.reason.utf8.count <= 256 else {
      throw AdminRefusal(
        .badRequest,
        "reason: \(body.reason.utf8.count) bytes found; at most 256 are allowed"
      )
    }
    guard let name = SessionPath(request.path)?.name,
      let status = server.sessionStatus(named: name),
      server.endSession(named: name, reason: body.reason)
    else { throw AdminRefusal(.notFound, "there is no such session") }
    logger.notice("an operator ended a session", metadata: ["session": "\(name)"])
    return try json(message(of: status))
  }

  private func message(of status: SessionStatus) -> Wire.SessionStatus {
    var message = Wire.SessionStatus()
    message.name = status.name
    message.peer = status.facts.peer
    message.identity = status.facts.owner
    if !status.facts.collection.isEmpty {
      message.collection = "collections/\(status.facts.collection)"
    }
    message.detached = status.isDetached
    guard let figures = status.figures else { return message }
    message.layout = figures.layout
    message.dataVersion = figures.dataVersion
    if let current = server.dataVersion(ofCollection: status.facts.collection) {
      message.versionsBehind = current > figures.dataVersion ? current - figures.dataVersion : 0
    }
    guard !status.isDetached else { return message }
    message.age = .init(status.facts.opened.duration(to: .now))
    message.liveElements = UInt64(clamping: figures.liveElements)
    message.frames = UInt64(clamping: figures.frames)
    message.keyframes = UInt64(clamping: figures.keyframes)
    message.sentBytes = UInt64(clamping: figures.sentBytes)
    message.events = UInt64(clamping: figures.events)
    message.refusedEvents = UInt64(clamping: figures.refusedEvents)
    message.unacknowledgedFrames = figures.unacknowledgedFrames
    message.unacknowledgedBytes = UInt64(clamping: figures.unacknowledgedBytes)
    if let since = figures.unshownSince { message.lag = .init(since.duration(to: .now)) }
    return message
  }

  // MARK: - Collections

  func collections(_ request: AdminRequest) async throws -> AdminResponse {
    let page = try ListPage(request, flags: ["stored"])
    let (found, statistics) = try await server.performAside { [server] in
      // One more than the page, to see whether there is a next page.
      (
        server.collectionStatuses(after: page.token, limit: page.size + 1),
        server.statistics.collections
      )
    }
    let ids = found.prefix(page.size).map(\.record.id)
    let sizes = page.flags.contains("stored") ? try await server.storedSizes(of: ids) : [:]
    return try await server.performAside { try list(found, of: page, statistics, sizes) }
  }

  /// - Parameter found: the entries of the page, and one more if there is a next page.
  private func list(
    _ found: [CollectionStatus],
    of page: ListPage,
    _ statistics: RegistryStatistics,
    _ sizes: [String: StoredSizes]
  ) throws -> AdminResponse {
    var response = Wire.ListCollectionStatusesResponse()
    response.totalSize = UInt32(clamping: statistics.collections)
    response.databaseBytes = UInt64(clamping: statistics.files?.database ?? 0)
    response.databaseLogBytes = UInt64(clamping: statistics.files?.log ?? 0)
    response.collections = found.prefix(page.size).map { status in
      message(of: status, stored: sizes[status.record.id])
    }
    if found.count > page.size {
      response.nextPageToken = found.prefix(page.size).last?.record.id ?? ""
    }
    return try json(response)
  }

  private func message(
    of status: CollectionStatus,
    stored: StoredSizes?
  ) -> Wire.CollectionStatus {
    var message = Wire.CollectionStatus()
    message.name = "collections/\(status.record.id)"
    message.dataVersion = status.record.dataVersion
    message.sectionCount = UInt64(clamping: status.record.sectionCount)
    message.itemCount = UInt64(clamping: status.record.itemCount)
    message.updateTime = .with {
      $0.seconds = status.record.updateTime.seconds
      $0.nanos = status.record.updateTime.nanoseconds
    }
    if let stored {
      message.storedSnapshotBytes = UInt64(clamping: stored.snapshotBytes)
      message.storedLogBatches = UInt64(clamping: stored.logBatches)
      message.storedLogBytes = UInt64(clamping: stored.logBytes)
    }
    guard let residency = status.residency else { return message }
    message.resident = true
    message.residentBytes = UInt64(clamping: residency.bytes)
    message.subscribers = UInt32(clamping: residency.subscribers)
    message.logBatches = UInt64(clamping: residency.logBatches)
    message.logBytes = UInt64(clamping: residency.logBytes)
    return message
  }

  // MARK: - The log

  var log: AdminResponse {
    get throws {
      var settings = Wire.LogSettings()
      settings.level = controls.logLevel().rawValue
      return try json(settings)
    }
  }

  func setLog(_ request: AdminRequest) throws -> AdminResponse {
    let settings: Wire.LogSettings = try message(request)
    guard let level = Logger.Level(rawValue: settings.level) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw AdminRefusal(
        .badRequest,
        "level: \(settings.level.quotedAsFound) found; \(known) are allowed"
      )
    }
    controls.setLogLevel(level)
    logger.notice("an operator set the log level", metadata: ["level": "\(level)"])
    return try log
  }

  // MARK: - Backups

  func backUp(_ request: AdminRequest) async throws -> AdminResponse {
    let body: Wire.CreateBackupRequest = try message(request)
    guard !backupFolder.isEmpty else {
      throw AdminRefusal(.preconditionFailed, "this server writes no backups")
    }
    guard body.fileName.isFileName else {
      throw AdminRefusal(
        .badRequest,
        "file_name: \(body.fileName.quotedAsFound) found; 1 to 128 letters, digits, \"-\", \"_\" and \".\" are allowed, \".\" not first; not "
          + "-journal, -wal, -shm, .lock or .reserve at the end, which belong to stores"
      )
    }
    let path = backupFolder == "/" ? "/\(body.fileName)" : "\(backupFolder)/\(body.fileName)"
    let start = ContinuousClock.now
    do {
      let bytes = try await server.backUp(to: path)
      let duration = start.duration(to: .now)
      var backup = Wire.Backup()
      backup.path = path
      backup.bytes = UInt64(clamping: bytes)
      backup.duration = .init(duration)
      logger.notice(
        "an operator wrote a backup",
        metadata: ["path": "\(path)", "bytes": "\(bytes)", "duration": "\(duration)"]
      )
      return try json(backup)
    } catch let fault as StorageFault {
      throw AdminRefusal(fault.kind == .unsupported ? .conflict : .serviceUnavailable, "\(fault)")
    }
  }

  // MARK: - Messages

  func message<Body: Message>(_ request: AdminRequest) throws(AdminRefusal) -> Body {
    do {
      return try Body(jsonUTF8Bytes: request.body.isEmpty ? Array("{}".utf8) : request.body)
    } catch {
      throw AdminRefusal(
        .badRequest,
        "\(Body.protoMessageName) cannot be read: \(error)"
      )
    }
  }

  func json(_ message: some Message) throws -> AdminResponse {
    var options = JSONEncodingOptions()
    options.preserveProtoFieldNames = true
    let text = try message.jsonString(options: options)
    return AdminResponse("\(text)\n", contentType: "application/json")
  }
}

/// Which page of a list a request asks for.
private struct ListPage {
  /// The most entries of a page.
  private static let most = 1000

  var size = 100
  var token = ""
  /// The flags that are set.
  var flags: Set<String> = []

  /// - Parameter allowed: parameters that are true or false.
  init(_ request: AdminRequest, flags allowed: [String] = []) throws(AdminRefusal) {
    for (name, value) in request.query {
      switch name {
      case "page_token": token = value
      case "page_size":
        guard let number = Int(value), (1 ... Self.most).contains(number) else {
          throw AdminRefusal(
            .badRequest,
            "page_size: \(value.quotedAsFound) found; 1 to \(Self.most) are allowed"
          )
        }
        size = number
      case let flag where allowed.contains(flag):
        guard ["true", "false"].contains(value) else {
          throw AdminRefusal(
            .badRequest,
            "\(flag): \(value.quotedAsFound) found; true and false are allowed"
          )
        }
        if value == "true" { flags.insert(flag) }
      default:
        let known = (["page_size", "page_token"] + allowed).joined(separator: ", ")
        throw AdminRefusal(
          .badRequest,
          "the query: \(name.quotedAsFound) found; \(known) are allowed"
        )
      }
    }
  }
}

extension Google_Protobuf_Duration {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init()
    self.seconds = seconds
    nanos = Int32(clamping: attoseconds / 1_000_000_000)
  }
}

extension String {
  /// Whether this names a file in a folder, and nothing else.
  fileprivate var isFileName: Bool {
    guard (1 ... 128).contains(utf8.count), first != ".",
      !["-journal", "-wal", "-shm", ".lock", ".reserve"].contains(where: {
        lowercased().hasSuffix($0)
      })
    else { return false }
    return utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "A") ... UInt8(ascii: "Z"),
        UInt8(ascii: "0") ... UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
  }
}
