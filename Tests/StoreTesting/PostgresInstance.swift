// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A PostgreSQL server in a temporary folder, which ends with this process or with its last
/// reference. It listens on a socket in that folder only. It does not wait for the disk: it is not
/// for tests of durability.
public final class PostgresInstance: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// The folder of PostgreSQL's programs; nil = it is not installed.
  public static let programs: String? = {
    let manager = FileManager.default
    let installed = (15 ... 20).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (installed + path.map(String.init)).first { folder in
      ["initdb", "pg_ctl", "postgres"].allSatisfy {
        manager.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
  }()

  public static var isInstalled: Bool { programs != nil }

  private static let instance = Mutex<PostgresInstance?>(nil)

  /// The instance that the tests of this process share.
  public static func shared() throws -> PostgresInstance {
    try instance.withLock { instance in
      if let instance { return instance }
      let new = try PostgresInstance()
      instance = new
      return new
    }
  }

  /// Its programs, its data and its socket.
  public let folder: String
  private let process: Process
  /// The process ends when this is closed.
  private let input = Pipe()
  private let output = Pipe()

  /// Creates a database and starts a server.
  ///
  /// - Parameters:
  ///   - primary: the server that it is a read-only copy of, and that it follows; nil = none.
  ///   - preparation: a script for the shell, which runs in `folder` before the server starts,
  ///     where `data` has its configuration.
  ///   - options: of the server, beside the usual ones, such as "-p 5433".
  public init(
    of primary: PostgresInstance? = nil,
    preparation: String = "",
    options: String = ""
  ) throws {
    guard let programs = Self.programs else {
      throw Failure(description: "PostgreSQL is not installed")
    }
    // Sockets have short paths.
    folder = FileManager.default.temporaryDirectory.path + "/pg-\(UInt32.random(in: 0 ... .max))"
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", Self.script, programs, folder, primary?.folder ?? "", preparation, options,
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try expect("ready")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Stops the server at once, as a crash does.
  public func stop() throws { try ask("stop", expecting: "stopped") }

  /// Starts the server again.
  public func start() throws { try ask("start", expecting: "ready") }

  /// The connection string for a user who may do everything.
  public var url: String { "postgresql:///postgres?host=\(folder)&user=layout" }

  /// Runs statements, and returns what they print.
  @discardableResult
  public func run(_ sql: String) throws -> String {
    guard let programs = Self.programs else {
      throw Failure(description: "PostgreSQL is not installed")
    }
    let psql = Process()
    let pipe = Pipe()
    psql.executableURL = URL(fileURLWithPath: programs + "/psql")
    psql.arguments = [url, "-v", "ON_ERROR_STOP=1", "-qAtX", "-c", sql]
    psql.standardOutput = pipe
    psql.standardError = FileHandle.nullDevice
    try psql.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    psql.waitUntilExit()
    guard psql.terminationStatus == 0 else { throw Failure(description: "psql refused: \(sql)") }
    return text.trimmingCharacters(in: .newlines)
  }

  private func ask(_ word: String, expecting answer: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
    try expect(answer)
  }

  private func expect(_ word: String) throws {
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    guard String(decoding: line, as: UTF8.self) == word else {
      throw Failure(description: "PostgreSQL did not start in \(folder)")
    }
  }

  /// Reads commands until the end of its input, and cleans up then, however the tests end.
  /// PostgreSQL refuses to run as root.
  private static let script = #"""
    bin=$0 folder=$1 primary=$2 preparation=$3 more=$4 as=
    mkdir -p "$folder"
    if [ "$(id -u)" = 0 ]; then
      chown postgres "$folder"
      as="setpriv --reuid=postgres --regid=postgres --clear-groups"
    fi
    cd "$folder" || exit 1
    if [ -n "$primary" ]; then
      $as "$bin/pg_basebackup" -h "$primary" -U layout -D data -R -c fast --no-sync >log 2>&1 || exit 1
    else
      $as "$bin/initdb" -A trust -U layout --no-sync -E UTF8 --locale=C -D data >log 2>&1 || exit 1
    fi
    eval "$preparation" || exit 1
    options="-k $folder -c listen_addresses= $more -c fsync=off -c max_connections=600 -c shared_buffers=32MB"
    start() { $as "$bin/pg_ctl" -D data -w -s -l data/log -o "$options" start >/dev/null 2>&1 && echo ready; }
    stop() { $as "$bin/pg_ctl" -D data -w -s -m immediate stop >/dev/null 2>&1; }
    trap '' INT TERM
    start
    while read -r word; do
      case $word in
        stop) stop; echo stopped ;;
        start) start ;;
      esac
    done
    stop
    cd / && rm -rf "$folder"
    """#
}
