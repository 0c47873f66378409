// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
internal import Synchronization
public import X509

/// Decides who callers are and what they may do, by files that may change at any time.
///
/// It derives rights when a call begins and when they may have changed, never for a message or a
/// frame.
public final class Trust: Sendable {
  /// The result of evaluating credentials.
  struct Evaluation: Sendable {
    var principal: Principal
    var rights: Rights
    var quotas: IdentityQuotas
  }

  fileprivate struct Weak: Sendable {
    weak let access: Access?
  }

  fileprivate struct Calls {
    var accesses: [Int: Weak] = [:]
    var nextNumber = 0
    /// When the next access may have to end; nil = never.
    var nextExpiry: Date?
  }

  /// The longest signed token, in bytes. The headers of a call, which contain it, may have 16 KiB
  /// together.
  public static let longestToken = 12_288

  let audit: AuditLog
  private let logger: Logger
  private let interval: Duration
  /// Whether certificates of clients are accepted.
  public let acceptsCertificates: Bool
  private let now: @Sendable () -> Date
  private let state: Mutex<TrustState>
  /// nil while somebody reads them.
  private let files: Mutex<TrustFiles?>
  /// Whether somebody asked for a reload while the files were being read.
  private let isReloadWanted = Atomic(false)
  private let checks: CheckLimit
  private let calls = Mutex(Calls())

  /// Reads the files of a configuration.
  ///
  /// - Parameters:
  ///   - logger: for changes of the files, and for the audit.
  ///   - now: the time of the day.
  /// - Throws: `TrustError` that names the first bad file.
  public init(
    _ configuration: TrustConfiguration,
    logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(TrustError) {
    var files = TrustFiles(configuration)
    state = Mutex(try await files.read())
    self.files = Mutex(files)
    self.logger = logger
    self.now = now
    audit = AuditLog(logger: logger)
    interval = configuration.interval
    checks = CheckLimit(perSecond: configuration.failedChecksPerSecond)
    acceptsCertificates = configuration.clientAuthorities != nil
  }

  // MARK: - Calls

  /// Finds out who a caller is, and what they may do.
  ///
  /// - Parameters:
  ///   - method: the full name of the method that is called.
  ///   - peer: the caller's end of the connection, for the log.
  ///   - address: the caller's machine, whose wrong tokens are counted together.
  /// - Throws: why the credentials prove nothing.
  public func access(
    for credentials: Credentials,
    method: String,
    peer: String,
    address: String
  ) async throws(AuthenticationFailure) -> Access {
    let generation = generation
    let found: Evaluation
    do throws(AuthenticationFailure) {
      found = try await evaluate(credentials, from: address)
    } catch {
      audit.failed(method: method, peer: peer, address: address, error)
      throw error
    }
    let number = calls.withLock { calls in
      calls.nextNumber += 1
      return calls.nextNumber
    }
    let access = Access(
      method: method,
      number: number,
      address: address,
      trust: self,
      credentials: credentials,
      found: found,
      generation: generation
    )
    calls.withLock { calls in
      calls.accesses[number] = Weak(access: access)
      calls.note(access.expiry)
    }
    // A change after the evaluation, but before the call was registered, did not reach it.
    await catchUp(access, since: generation)
    return access
  }

  /// Grows with every change of the files.
  var generation: Int { state.withLock { $0.generation } }

  /// Evaluates a call again if files have changed since its evaluation.
  func catchUp(_ access: Access, since generation: Int) async {
    if self.generation != generation { await reevaluate([access]) }
  }

  func forget(_ number: Int) {
    calls.withLock { _ = $0.accesses.removeValue(forKey: number) }
  }

  /// Calls in progress.
  public var callCount: Int { calls.withLock { $0.accesses.count } }

  /// Finds out who a caller is, and what they may do at this moment.
  ///
  /// - Parameter address: where the credentials come from; nil = they were found good before, and
  ///   are looked at however many of the same address are wrong.
  func evaluate(
    _ credentials: Credentials,
    from address: String?
  ) async throws(AuthenticationFailure) -> Evaluation {
    let (state, now) = (state.withLock { $0 }, now())
    var identities: [Identity] = []
    if !credentials.authorization.isEmpty {
      let token = try Self.token(in: credentials.authorization)
      identities.append(try await identity(of: token, from: address, by: state, at: now))
    }
    if !credentials.certificates.isEmpty, let certificates = state.certificates {
      identities.append(try await certificates.identity(of: credentials.certificates, at: now))
    }
    guard !identities.isEmpty else { throw .missing }
    guard identities.contains(where: \.isSomebody) else { throw .nameless }
    let rights = state.policy.rights(of: identities)
    return Evaluation(
      principal: Principal(identities: identities),
      rights: rights,
      quotas: state.policy.quotas(of: identities, rights)
    )
  }

  /// The quotas of somebody who need not be connected: those that the policy gives to a subject, to
  /// the name of a token or to the first name of a certificate. Claims are not known then.
  ///
  /// - Parameter owner: `Access.owner`.
  public func quotas(ofOwner owner: String) -> IdentityQuotas {
    guard let identity = Identity(key: owner) else { return IdentityQuotas() }
    let policy = state.withLock { $0.policy }
    return policy.quotas(of: [identity], policy.rights(of: [identity]))
  }

  private static func token(in values: [String]) throws(AuthenticationFailure) -> String {
    guard values.count == 1, let value = values.first else { throw .invalid }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .invalid }
    return String(parts[1])
  }

  private func identity(
    of token: String,
    from address: String?,
    by state: TrustState,
    at now: Date
  ) async throws(AuthenticationFailure) -> Identity {
    if let identity = state.tokens?.identity(of: token) {
      if let expiry = identity.expiry, now >= expiry { throw .expired }
      return identity
    }
    guard let signedTokens = state.signedTokens else { throw .invalidToken(.unlisted) }
    guard let address else { return try await signedTokens.identity(of: token, at: now) }
    return try await signedTokens.identity(of: token, at: now, within: checks, from: address)
  }

  /// Verifies the certificates that a client sends when it connects, the client's own first.
  ///
  /// - Returns: the chain from the client's certificate to an authority; nil = it is not accepted.
  public func chain(_ certificates: [Certificate]) async -> [Certificate]? {
    guard let accepted = state.withLock({ $0.certificates }) else { return nil }
    // A chain that was verified earlier is remembered, and may have expired since.
    guard let chain = await accepted.chain(certificates),
      ClientCertificates.holds(chain, at: now())
    else { return nil }
    return chain
  }

  // MARK: - Changes

  /// Checks files and times again and again, until the task is cancelled.
  public func run() async {
    while (try? await Task.sleep(for: interval)) != nil { await check() }
  }

  /// Checks files and times once. When it returns, all calls that may no longer go on have been
  /// told.
  public func check() async { await check(isForced: false) }

  /// Reads all files now, whether or not they have changed, and logs the outcome for each. When it
  /// returns, all calls that may no longer go on have been told.
  public func reload() async { await check(isForced: true) }

  private func check(isForced: Bool) async {
    var isForced = isForced
    repeat {
      guard let hasChanged = await refresh(isForced: isForced) else { return }
      await reevaluate(hasChanged: hasChanged)
      isForced = true
      // Changes that arrive now are checked after all calls know the earlier ones.
    } while isReloadWanted.exchange(false, ordering: .relaxed)
  }

  /// - Parameter hasChanged: whether files have changed; otherwise only calls whose rights expire
  ///   are evaluated.
  private func reevaluate(hasChanged: Bool) async {
    let now = now()
    let isDue = calls.withLock { calls in calls.nextExpiry.map { $0 <= now } ?? false }
    guard hasChanged || isDue else { return }
    let accesses = calls.withLock { calls in
      calls.nextExpiry = nil
      return calls.accesses.values.compactMap(\.access)
    }
    await reevaluate(
      hasChanged ? accesses : accesses.filter { $0.expiry.map { $0 <= now } ?? false }
    )
    let expiries = accesses.compactMap(\.expiry)
    if let next = expiries.min() { calls.withLock { $0.note(next) } }
  }

  /// How long other tasks wait at most while calls are evaluated.
  private static let turn = Duration.milliseconds(5)

  /// Evaluates calls, once for all with the same credentials.
  private func reevaluate(_ accesses: [Access]) async {
    var groups: [Credentials: [Access]] = [:]
    for access in accesses {
      guard let credentials = access.currentCredentials else { continue }
      groups[credentials, default: []].append(access)
    }
    var begin = ContinuousClock.now
    for (credentials, accesses) in groups {
      let generation = generation
      let result: Result<Evaluation, AuthenticationFailure>
      do throws(AuthenticationFailure) {
        result = .success(try await evaluate(credentials, from: nil))
      } catch { result = .failure(error) }
      for access in accesses {
        access.takeOver(result, of: credentials, generation: generation)
        guard begin.duration(to: .now) > Self.turn else { continue }
        await Task.yield()
        begin = .now
      }
    }
  }

  /// Signatures of tokens checked since the keys were read last.
  var signatureCheckCount: Int { state.withLock { $0.signedTokens?.checkCount ?? 0 } }

  /// Notes when a renewed access expires.
  func note(expiry: Date?) { calls.withLock { $0.note(expiry) } }

  /// - Parameter isForced: whether files are read that have not changed.
  /// - Returns: whether anything has changed; nil = somebody else is reading the files already.
  private func refresh(isForced: Bool) async -> Bool? {
    guard var files = files.withLock({ $0.take() }) else {
      // That reader reads them once more.
      if isForced { isReloadWanted.store(true, ordering: .relaxed) }
      return nil
    }
    var changed = state.withLock { $0 }
    let (taken, faults) = await files.refresh(&changed, isForced: isForced)
    if !taken.isEmpty { state.withLock { [changed] in $0 = changed } }
    self.files.withLock { [files] in $0 = files }
    log(taken, faults)
    return !taken.isEmpty
  }

  /// Logs each attempt to mend a bad file, because a file is read once for each change.
  private func log(_ taken: [String], _ faults: [TrustError]) {
    for path in taken { logger.info("reloaded a file", metadata: ["path": "\(path)"]) }
    for fault in faults {
      logger.error(
        "a file is bad; what was read before stays in force",
        metadata: ["reason": "\(fault)"]
      )
    }
  }
}

extension Trust.Calls {
  fileprivate mutating func note(_ expiry: Date?) {
    guard let expiry else { return }
    nextExpiry = min(nextExpiry ?? expiry, expiry)
  }
}
