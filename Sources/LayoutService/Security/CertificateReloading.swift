// SPDX-License-Identifier: Apache-2.0

internal import LayoutTrust
internal import Logging
internal import NIOCertificateReloading
internal import Synchronization

/// The server's certificate and key for new connections, reloaded when the files change. While the
/// files are bad, or do not match, the server keeps the last good pair.
final class CertificateReloading: Sendable {
  private struct State {
    var certificate: WatchedFile
    var key: WatchedFile
    /// What was wrong at the last attempt; nil = nothing.
    var fault: String?
  }

  let reloader: TimedCertificateReloader
  private let interval: Duration
  private let logger: Logger
  private let state: Mutex<State>

  /// - Throws: `TrustError` if the files cannot be used.
  init(_ files: TLSFiles, logger: Logger) throws(TrustError) {
    var (certificate, key) = (
      WatchedFile(path: files.certificate), WatchedFile(path: files.key)
    )
    _ = (certificate.takeNote(), key.takeNote())
    for file in [certificate, key] { try file.checkSize() }
    do {
      reloader = try .makeReloaderValidatingSources(
        refreshInterval: files.interval,
        certificateSource: .init(location: .file(path: files.certificate), format: .pem),
        privateKeySource: .init(location: .file(path: files.key), format: .pem)
      )
    } catch { throw TrustError("\(files.certificate) and \(files.key): \(error.sentence)") }
    interval = files.interval
    self.logger = logger
    state = Mutex(State(certificate: certificate, key: key))
  }

  /// Checks the files periodically until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: interval)) != nil { check() }
  }

  /// Checks the files once.
  ///
  /// - Parameter isForced: whether to read them even if they have not changed, and to log a fault
  ///   again.
  func check(isForced: Bool = false) {
    state.withLock { state in
      let hasChanged = (state.certificate.takeNote(), state.key.takeNote()) != (false, false)
      // Between the writes of two files, a pair may have been read that does not match.
      guard isForced || hasChanged || state.fault != nil else { return }
      do {
        for file in [state.certificate, state.key] { try file.checkSize() }
        try reloader.reload()
        state.fault = nil
        for file in [state.certificate, state.key] {
          logger.info("reloaded a file", metadata: ["path": "\(file.path)"])
        }
        warn(of: state.certificate.path, state.key.path)
      } catch {
        let fault = error.sentence
        guard isForced || hasChanged || state.fault != fault else { return }
        state.fault = fault
        logger.error(
          "the certificate or its key is bad; the former ones stay in use",
          metadata: ["reason": "\(fault)"]
        )
      }
    }
  }

  /// Says what no client will accept of a certificate that is in use now.
  private func warn(of certificate: String, _ key: String) {
    let review = CertificateReview(certificate: certificate, key: key, host: "")
    for finding in review.refusedByClients {
      logger.error(
        "clients will not accept the certificate",
        metadata: ["reason": "\(finding.text); \(finding.remedy)"]
      )
    }
  }
}

extension Error {
  /// The error in one line.
  fileprivate var sentence: String {
    "\(self)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
