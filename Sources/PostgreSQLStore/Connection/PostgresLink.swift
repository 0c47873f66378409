// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
internal import CPostgres
internal import Glibc
#endif

/// How far the attempt to connect is.
enum LinkProgress {
  case waits(forWriting: Bool)
  case connected
  case failed
}

/// What arrived.
enum LinkArrival {
  case answer(Answer)
  case refused(StatementError)
  /// Not executed, because a statement before was refused.
  case skipped
  /// The end of an exchange.
  case end
}

#if PostgreSQL
/// A connection of libpq in pipeline mode. All calls of libpq are in this file. Used by one thread.
@safe final class PostgresLink {
  private let connection: OpaquePointer
  /// Whether a result of the current statement was read; the next nil then ends the statement.
  private var hasResult = false

  /// These give up a connection whose packets vanish after ten seconds; the operating system alone
  /// would wait for minutes. The first is in milliseconds, the others in seconds.
  private static let defaults = [
    ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
  ]

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - url: as libpq takes it. Its parameters override `defaults`.
  ///   - hosts: the hosts of the URL in the order in which they are tried; nil = that of the URL.
  /// - Returns: nil = there is no memory.
  init?(url: String, hosts: [(keyword: String, value: String)] = []) {
    // Of two values for one option libpq takes the later one; "dbname" may be a whole URL.
    let options = Self.defaults + [("dbname", url)] + hosts.map { ($0.keyword, $0.value) }
    var names = unsafe options.map { unsafe UnsafePointer<CChar>(strdup($0.0)) } + [nil]
    var values = unsafe options.map { unsafe UnsafePointer<CChar>(strdup($0.1)) } + [nil]
    defer { unsafe (names + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    guard let connection = unsafe PQconnectStartParams(&names, &values, 1) else { return nil }
    unsafe self.connection = connection
    // The default prints notices to standard error.
    unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { unsafe PQfinish(connection) }

  /// Whether there is nothing to continue, because no host could be reached at all.
  var hasFailed: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

  /// Continues to connect, when the socket is ready.
  func poll() -> LinkProgress {
    switch unsafe PQconnectPoll(connection) {
    case PGRES_POLLING_READING: return .waits(forWriting: false)
    case PGRES_POLLING_WRITING: return .waits(forWriting: true)
    case PGRES_POLLING_OK:
      let isReady =
        unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
      return isReady ? .connected : .failed
    default: return .failed
    }
  }

  /// May change while connecting; -1 = there is none.
  var socket: Int32 { unsafe PQsocket(connection) }

  /// As a number: 150018 is 15.18.
  var serverVersion: Int { Int(unsafe PQserverVersion(connection)) }

  /// Why the last call failed, in one line.
  var message: String {
    guard let text = unsafe PQerrorMessage(connection) else { return "" }
    return unsafe String(cString: text).oneLine
  }

  // MARK: - Sending

  /// - Returns: whether it was queued; otherwise the connection is lost.
  func prepare(_ name: String, _ statement: Statement) -> Bool {
    let types = statement.parameters.map(\.type)
    let count = Int32(clamping: types.count)
    return unsafe PQsendPrepare(connection, name, statement.sql, count, types) == 1
  }

  /// - Returns: whether it was queued; otherwise the connection is lost.
  func execute(_ name: String, _ parameters: [Parameter]) -> Bool {
    // One after another in memory; `starts` says where each begins.
    var bytes: [UInt8] = []
    var starts: [Int] = []
    var lengths: [Int32] = []
    for parameter in parameters {
      let encoded = parameter.encoded
      starts.append(bytes.count)
      lengths.append(Int32(clamping: encoded.count))
      bytes.append(contentsOf: encoded)
    }
    // So that the address of an empty last value is valid.
    bytes.append(0)
    let formats = parameters.map { $0.isBinary ? Int32(1) : 0 }
    let count = Int32(clamping: parameters.count)
    return unsafe bytes.withUnsafeBytes { buffer in
      let values = unsafe starts.map { start in
        unsafe buffer.baseAddress.map { unsafe ($0 + start).assumingMemoryBound(to: CChar.self) }
      }
      return unsafe PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
    }
  }

  /// Ends an exchange.
  func sync() -> Bool { unsafe PQpipelineSync(connection) == 1 }

  /// Passes bytes to the socket.
  ///
  /// - Returns: whether all were; nil = the connection is lost.
  func flush() -> Bool? {
    switch unsafe PQflush(connection) {
    case 0: true
    case 1: false
    default: nil
    }
  }

  // MARK: - Receiving

  /// Reads what the socket has.
  ///
  /// - Returns: false = the connection is lost.
  func consume() -> Bool {
    unsafe PQconsumeInput(connection) == 1 && PQstatus(connection) == CONNECTION_OK
  }

  /// The next notification that has arrived; nil = there is none.
  func notification() -> String? {
    guard let found = unsafe PQnotifies(connection) else { return nil }
    defer { unsafe PQfreemem(found) }
    guard let payload = unsafe found.pointee.extra else { return "" }
    return unsafe String(cString: payload)
  }

  /// What has arrived next; nil = nothing complete.
  func receive() -> LinkArrival? {
    while unsafe PQisBusy(connection) == 0 {
      guard let result = unsafe PQgetResult(connection) else {
        guard hasResult else { return nil }
        hasResult = false
        continue
      }
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        hasResult = false
        return .end
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
        hasResult = true
        return .answer(unsafe Self.answer(result))
      case PGRES_PIPELINE_ABORTED:
        hasResult = true
        return .skipped
      default:
        hasResult = true
        return .refused(unsafe Self.error(result))
      }
    }
    return nil
  }

  private static func answer(_ result: OpaquePointer) -> Answer {
    var answer = Answer()
    let (rows, columns) = unsafe (PQntuples(result), PQnfields(result))
    answer.rows.reserveCapacity(Int(rows))
    for row in 0 ..< max(0, rows) {
      var fields: [[UInt8]?] = []
      for column in 0 ..< max(0, columns) {
        unsafe fields.append(field(result, row, column))
      }
      answer.rows.append(ResultRow(fields: fields))
    }
    if let count = unsafe PQcmdTuples(result) {
      answer.count = Int(unsafe String(cString: count)) ?? 0
    }
    return answer
  }

  private static func field(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> [UInt8]? {
    guard unsafe PQgetisnull(result, row, column) == 0,
      let value = unsafe PQgetvalue(result, row, column)
    else { return nil }
    let length = Int(unsafe PQgetlength(result, row, column))
    return unsafe Array(UnsafeRawBufferPointer(start: value, count: max(0, length)))
  }

  private static func error(_ result: OpaquePointer) -> StatementError {
    func field(_ code: Character) -> String {
      let number = Int32(code.asciiValue ?? 0)
      guard let text = unsafe PQresultErrorField(result, number) else { return "" }
      return unsafe String(cString: text).oneLine
    }
    let (column, constraint) = (field("c"), field("n"))
    return StatementError(
      state: field("C"),
      message: field("M"),
      place: column.isEmpty ? constraint : column
    )
  }
}

/// A connection string that libpq has understood.
struct ConnectionTarget: Sendable {
  /// The server and the database for messages, without a password.
  let name: String

  /// The values of host, hostaddr and port, with one entry for each host.
  private let lists: [(keyword: String, values: [String])]

  /// - Returns: nil = libpq does not understand the string. Its message might contain the password,
  ///   so there is none.
  init?(url: String) {
    guard let options = unsafe PQconninfoParse(url, nil) else { return nil }
    defer { unsafe PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        values[unsafe String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    let host = values["host"] ?? values["hostaddr"] ?? "localhost"
    let port = values["port"].map { ":\($0)" } ?? ""
    let database = values["dbname"].map { "/\($0)" } ?? ""
    name = "\(host)\(port)\(database)"
    lists = ["host", "hostaddr", "port"].compactMap { keyword in
      values[keyword].map { value in
        (keyword, value.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
      }
    }
  }

  var hostCount: Int { lists.map(\.values.count).max() ?? 1 }

  /// The hosts in another order, so that another one is tried first. libpq tries the next host when
  /// one refuses, but waits for one that is silent.
  ///
  /// - Parameter turns: how many hosts go to the end; at least 0.
  /// - Returns: options that replace those of the connection string; empty = there are no several
  ///   hosts.
  func hosts(turnedBy turns: Int) -> [(keyword: String, value: String)] {
    guard lists.contains(where: { $0.values.count > 1 }) else { return [] }
    return lists.map { keyword, values in
      let first = turns % values.count
      return (keyword, (values[first...] + values[..<first]).joined(separator: ","))
    }
  }
}

#else
/// Stands in for libpq if the package was built without it.
final class PostgresLink {
  init?(url: String, hosts: [(keyword: String, value: String)] = []) { return nil }

  var hasFailed: Bool { true }
  func poll() -> LinkProgress { .failed }
  var socket: Int32 { -1 }
  var serverVersion: Int { 0 }
  var message: String { "" }
  func prepare(_ name: String, _ statement: Statement) -> Bool { false }
  func execute(_ name: String, _ parameters: [Parameter]) -> Bool { false }
  func sync() -> Bool { false }
  func flush() -> Bool? { nil }
  func consume() -> Bool { false }
  func notification() -> String? { nil }
  func receive() -> LinkArrival? { nil }
}

struct ConnectionTarget: Sendable {
  let name = ""
  let hostCount = 1

  init?(url: String) { return nil }

  func hosts(turnedBy turns: Int) -> [(keyword: String, value: String)] { [] }
}
#endif

extension String {
  /// The text without line breaks and the spaces around them.
  var oneLine: String {
    split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .joined(separator: "; ")
  }
}
