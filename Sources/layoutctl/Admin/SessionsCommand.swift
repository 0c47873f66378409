// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol
import NIOHTTP1
import SwiftProtobuf

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists the sessions of a server.",
    discussion: "layoutctl sessions --admin 127.0.0.1:9464"
  )

  @OptionGroup var admin: AdminOptions

  @Option(help: "Only sessions of this collection.")
  var collection: String?

  func run() async throws {
    let sessions = try await admin.client.sessions().filter { session in
      collection.map { session.collection == CollectionArgument.name(of: $0) } ?? true
    }
    try Terminal.writeLine(SessionTable.table(of: sessions).text)
  }
}

struct KickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kick",
    abstract: "Ends a session, which cannot be resumed then.",
    discussion: "layoutctl kick sessions/0a1b2c --reason maintenance"
  )

  @OptionGroup var admin: AdminOptions

  @Argument(help: "The session, with or without \"sessions/\".")
  var session: String

  @Option(help: "Told to the client and logged.")
  var reason = ""

  func run() async throws {
    let id = session.hasPrefix("sessions/") ? String(session.dropFirst(9)) : session
    guard !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else { throw CommandFault("\"\(session)\" is no session", status: .usage) }
    var request = Wire.EndSessionRequest()
    request.reason = reason
    let ended: Wire.SessionStatus =
      try await admin.client.send(.POST, "/v1/sessions/\(id):end", request)
    try Terminal.writeLine("ended \(ended.name.printable) of \(ended.peer.printable)")
  }
}

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Writes a backup of a server's store while it is in use.",
    discussion: """
      layoutctl backup monday.sqlite

      The file is written on the server's machine, to the folder that --backup-folder of the server names.
      """
  )

  @OptionGroup var admin: AdminOptions

  @Argument(help: "The name of the file, without a folder.")
  var file: String

  func run() async throws {
    var request = Wire.CreateBackupRequest()
    request.fileName = file
    let backup: Wire.Backup =
      try await admin.client.send(.POST, "/v1/backups", request, within: nil)
    let duration = backup.duration.inSeconds
    let bytes = Int(clamping: backup.bytes).grouped
    try Terminal.writeLine("\(backup.path.printable): \(bytes) bytes in \(duration.text()) s")
  }
}

extension Google_Protobuf_Duration {
  var inSeconds: Double { Double(seconds) + Double(nanos) / 1e9 }
}

extension AdminClient {
  /// All sessions, page by page.
  func sessions() async throws -> [Wire.SessionStatus] {
    var all: [Wire.SessionStatus] = []
    var pages = Pages()
    while true {
      let next = pages.token.isEmpty ? "" : "&page_token=\(pages.token)"
      let page: Wire.ListSessionStatusesResponse = try await get(
        "/v1/sessions?page_size=1000\(next)"
      )
      all += page.sessions
      let count = page.sessions.count
      guard try pages.turn(to: page.nextPageToken, entries: count) else { return all }
    }
  }
}

/// Sessions as a table.
enum SessionTable {
  static func table(of sessions: [Wire.SessionStatus]) -> TextTable {
    var table = TextTable([
      .init("SESSION"), .init("PEER"), .init("COLLECTION"), .init("LAYOUT"), .init("AGE", .right),
      .init("ELEMENTS", .right), .init("FRAMES", .right), .init("BYTES", .right),
      .init("UNACKED", .right), .init("BEHIND", .right), .init("LAG", .right),
    ])
    for session in sessions {
      let collection = CollectionArgument.identifier(of: session.collection)
      table.append([
        String(session.name.dropFirst("sessions/".count)), session.peer,
        collection.isEmpty ? "-" : collection, session.layout,
        session.detached ? "detached" : age(session.age.seconds),
        Int(clamping: session.liveElements).grouped, Int(clamping: session.frames).grouped,
        Int(clamping: session.sentBytes).grouped,
        Int(clamping: session.unacknowledgedFrames).grouped,
        Int(clamping: session.versionsBehind).grouped,
        session.hasLag ? "\(session.lag.inSeconds.text(places: 1))s" : "-",
      ])
    }
    return table
  }

  /// "45s", "12m", "5h", "3d".
  private static func age(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds)s"
    case ..<7200: "\(seconds / 60)m"
    case ..<172_800: "\(seconds / 3600)h"
    default: "\(seconds / 86_400)d"
    }
  }
}
