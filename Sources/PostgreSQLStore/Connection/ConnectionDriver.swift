// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// Performs what a `ConnectionMachine` asks for, with a connection of libpq. Used by one thread.
final class ConnectionDriver {
  typealias Outcome = Result<[Answer], any Error>

  /// What a connection is for, and whom it tells what happens.
  struct Setup: Sendable {
    var url: String
    /// Executed on each new connection before anything else.
    var statements: [Statement]
    var timing = ConnectionTiming()
    /// Called with the payload of each notification.
    var notify: @Sendable (String) -> Void = { _ in }
    /// Called after each attempt to connect: nil = it succeeded.
    var report: @Sendable (StorageFault?) -> Void = { _ in }
  }

  /// An exchange, and who waits for it.
  struct Request {
    var exchange: Exchange
    var complete: (Outcome) -> Void
  }

  /// What is in flight, in the order in which answers arrive.
  private enum Flight {
    /// The preparation of a statement.
    case preparation(name: String, sql: String)
    /// An exchange, with the names of its statements.
    case request([String])
    /// The setup of the connection, with the same.
    case setup([String])
  }

  private let setup: Setup
  /// nil = libpq does not understand the connection string.
  private let target: ConnectionTarget?
  /// How many attempts to connect have failed. Each begins with another host; the next connection
  /// begins with the same one as the last attempt, which worked.
  private var failedAttempts = 0
  /// Whether the current connection was established.
  private var wasConnected = false
  private let wakes: WakePipe
  private let published: PublishedAvailability
  private var machine: ConnectionMachine<Request>
  private var link: PostgresLink?
  /// Whether the setup is being executed.
  private var isSettingUp = false
  private var flights: [Flight] = []
  private var answers: [Answer] = []
  private var refusal: StatementError?
  /// The names of prepared statements, by their texts.
  private var names: [String: String] = [:]
  private var lastName = 0
  /// Why statements could not be prepared, by their names.
  private var preparationErrors: [String: StatementError] = [:]
  /// Why there is no connection.
  private var fault: StorageFault
  /// Why the connection is about to be closed; nil = it took too long.
  private var loss: StorageFault?

  /// - Parameter published: is kept up to date with what the connection does with requests.
  init(_ setup: Setup, wakes: WakePipe, published: PublishedAvailability) {
    self.setup = setup
    target = ConnectionTarget(url: setup.url)
    self.wakes = wakes
    self.published = published
    machine = ConnectionMachine(timing: setup.timing, hosts: target?.hostCount ?? 1, now: .now)
    fault = StorageFault(.unreachable, "PostgreSQL has not been reached yet")
  }

  var isReady: Bool { machine.isConnected && !isSettingUp }
  var isBroken: Bool { machine.isBroken }
  var isEnded: Bool { machine.phase == .closed }
  var inFlightCount: Int { machine.inFlightCount + machine.waitingCount }

  /// Sends an exchange when it is its turn. If there is no connection, it fails at once.
  func add(_ request: Request) {
    guard machine.add(request) else { return request.complete(.failure(fault)) }
  }

  /// Tries at once to connect again.
  func retryNow() {
    machine.retryNow(now: .now)
    publish()
  }

  func beginClosing() { machine.beginClosing() }

  /// Gives the connection to a session, whose statements all belong to one connection.
  ///
  /// - Throws: `StorageFault` if there is no connection.
  func session<Value>(_ body: () throws -> Value) throws -> Value {
    try connect()
    machine.keepsWaiting = false
    defer { machine.keepsWaiting = true }
    return try body()
  }

  /// Sends an exchange, and waits for its answers.
  ///
  /// - Precondition: within a session.
  func perform(_ exchange: Exchange) throws -> [Answer] {
    guard isReady else { throw fault }
    var outcome: Outcome?
    add(Request(exchange: exchange) { outcome = $0 })
    while outcome == nil { step() }
    return try (outcome ?? .failure(fault)).get()
  }

  /// Waits until there is a connection.
  ///
  /// - Throws: `StorageFault` once an attempt has failed.
  private func connect() throws {
    while !isReady {
      if isBroken || isEnded { throw fault }
      step()
    }
  }

  /// Performs the next step, which may wait.
  func step() {
    if isSettingUp { return receiveOrWait([.read, .write], deadline: setupDeadline) }
    switch machine.next(now: .now) {
    case .connect: connectBegan()
    case .send(let request): send(request)
    case .wait(let readiness, let deadline): receiveOrWait(readiness, deadline: deadline)
    case .disconnect(let sent, let waiting): disconnect(sent, waiting)
    case .end: break
    }
  }

  private var setupDeadline: ContinuousClock.Instant?

  // MARK: - Connecting

  private func connectBegan() {
    let hosts = target?.hosts(turnedBy: failedAttempts) ?? []
    link = PostgresLink(url: setup.url, hosts: hosts)
    if link?.hasFailed != false { lose() }
  }

  private func continueConnecting() {
    guard let link else { return lose() }
    switch link.poll() {
    case .waits(let forWriting): machine.connecting(forWriting ? .write : .read)
    case .failed: lose()
    case .connected: settle()
    }
  }

  /// Sends the setup.
  private func settle() {
    names = [:]
    preparationErrors = [:]
    flights = []
    isSettingUp = true
    setupDeadline = .now + setup.timing.connect
    guard send(setup.statements, as: Flight.setup) else { return lose() }
    flush()
  }

  private func finishSetup() {
    isSettingUp = false
    if let error = refusal { return lose(StorageFault(error)) }
    let isWritable = (try? answers.last?.rows.first?.text(0)) == "off"
    guard let version = link?.serverVersion, version >= 150_000 else {
      return lose(
        StorageFault(.unsupported, "PostgreSQL is older than 15; upgrade it, or use another server")
      )
    }
    guard isWritable else {
      return lose(
        StorageFault(
          .readOnly,
          "the database is read-only, such as a standby; name the primary, or all hosts with "
            + "target_session_attrs=read-write"
        )
      )
    }
    machine.connected()
    wasConnected = true
    publish()
    setup.report(nil)
  }

  // MARK: - Sending

  private func send(_ request: Request) {
    guard send(request.exchange.statements, as: Flight.request) else { return lose() }
    flush()
  }

  private func send(_ statements: [Statement], as flight: ([String]) -> Flight) -> Bool {
    guard let link else { return false }
    for statement in statements where names[statement.sql] == nil {
      lastName += 1
      let name = "s\(lastName)"
      names[statement.sql] = name
      // An exchange of its own, so that the statement stays prepared whatever becomes of the next
      // one.
      flights.append(.preparation(name: name, sql: statement.sql))
      guard link.prepare(name, statement), link.sync() else { return false }
    }
    let executed = statements.map { names[$0.sql] ?? "" }
    for (name, statement) in zip(executed, statements) {
      guard link.execute(name, statement.parameters) else { return false }
    }
    flights.append(flight(executed))
    return link.sync()
  }

  private func flush() {
    guard let isDone = link?.flush() else { return lose() }
    machine.flushed(isDone)
  }

  // MARK: - Receiving

  private func receiveOrWait(
    _ readiness: SocketReadiness,
    deadline: ContinuousClock.Instant?
  ) {
    let isReady = wakes.wait(
      for: link?.socket ?? -1,
      read: readiness.contains(.read),
      write: readiness.contains(.write) && !isSettingUp || isConnectingToWrite(readiness),
      milliseconds: Self.milliseconds(until: deadline)
    )
    if isSettingUp, let deadline, .now >= deadline { return lose() }
    guard isReady else { return }
    if case .connecting = machine.phase, !isSettingUp { return continueConnecting() }
    guard let link, link.consume() else { return lose() }
    if case .pipelining = machine.phase { flush() }
    while let payload = link.notification() { setup.notify(payload) }
    while let arrival = self.link?.receive() { take(arrival) }
    machine.progressed(now: .now)
  }

  private func isConnectingToWrite(_ readiness: SocketReadiness) -> Bool {
    if case .connecting = machine.phase { return !isSettingUp && readiness.contains(.write) }
    return false
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = ContinuousClock.now.duration(to: deadline)
    let (seconds, attoseconds) = rest.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int32(clamping: min(seconds, 1 << 20) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  private func take(_ arrival: LinkArrival) {
    switch arrival {
    case .answer(let answer): answers.append(answer)
    case .refused(let error): if refusal == nil { refusal = error }
    case .skipped: break
    case .end: finishFlight()
    }
  }

  private func finishFlight() {
    guard !flights.isEmpty else { return }
    switch flights.removeFirst() {
    case .preparation(let name, let sql):
      if let refusal {
        preparationErrors[name] = refusal
        names[sql] = nil
      }
    case .setup(let executed):
      refusal = refusal.map { cause(of: $0, executing: executed) }
      finishSetup()
    case .request(let executed):
      let outcome: Outcome
      if let refusal {
        outcome = .failure(cause(of: refusal, executing: executed))
      } else {
        outcome = .success(answers)
      }
      forgetPreparationErrors(of: executed)
      machine.completed()?.complete(outcome)
    }
    answers = []
    refusal = nil
  }

  /// The error of a statement; if it could not be prepared, the reason for that.
  ///
  /// - Parameter executed: the names of the exchange's statements. Those before the failed one are
  ///   answered, and none after it is.
  private func cause(of error: StatementError, executing executed: [String]) -> StatementError {
    var cause = error
    if error.state == StatementError.unknownStatement, answers.count < executed.count {
      cause = preparationErrors[executed[answers.count]] ?? error
    }
    cause.index = answers.count
    return cause
  }

  /// Forgets why statements of a finished exchange could not be prepared, unless another one that
  /// is in flight executes them too.
  private func forgetPreparationErrors(of executed: [String]) {
    if preparationErrors.isEmpty { return }
    var needed: Set<String> = []
    for case .request(let names) in flights { needed.formUnion(names) }
    for name in executed where !needed.contains(name) { preparationErrors[name] = nil }
  }

  // MARK: - Ends

  private func lose(_ found: StorageFault? = nil) {
    loss = found ?? .unreachable(link?.message ?? "", refusal)
    isSettingUp = false
    machine.lost()
    publish()
  }

  private func publish() {
    published.value = isReady ? .ready : isBroken ? .broken : .connecting
  }

  private func disconnect(_ sent: [Request], _ waiting: [Request]) {
    fault = loss ?? .unreachable("", nil)
    if machine.phase == .closed { fault = StorageFault(.closed, "the store is closed") }
    (loss, link) = (nil, nil)
    (flights, answers, refusal) = ([], [], nil)
    isSettingUp = false
    // Before anybody is told, who then chooses the connection for the next request.
    publish()
    if machine.phase != .closed { setup.report(fault) }
    if !wasConnected { failedAttempts += 1 }
    wasConnected = false
    for request in sent {
      let isOpen = request.exchange.isWrite
      let unclear = StorageFault(
        .unclear,
        "the connection was lost while a commit was under way: \(fault)"
      )
      request.complete(.failure(isOpen ? unclear : fault))
    }
    for request in waiting { request.complete(.failure(fault)) }
  }
}
