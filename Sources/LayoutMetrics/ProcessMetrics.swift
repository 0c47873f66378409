// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The metrics of this process, with the names that Prometheus' own clients use. Without /proc
/// there are only those that POSIX has.
public enum ProcessMetrics {
  /// Adds them to a page.
  public static func collect(_ page: inout MetricsPage) {
    var usage = rusage()
    if unsafe getrusage(own, &usage) == 0 {
      let seconds = [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
        sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
      }
      page.count(cpu, fraction: seconds)
    }
    var files = rlimit()
    if unsafe getrlimit(resource, &files) == 0 {
      page.gauge(maxFiles, files.rlim_cur == .max ? .infinity : Double(files.rlim_cur))
    }
    if let count = openFileCount { page.gauge(openFiles, Double(count)) }
    guard let status = Status() else { return }
    page.gauge(residentMemory, Double(status.residentPages * pageBytes))
    page.gauge(virtualMemory, Double(status.virtualBytes))
    page.gauge(threads, Double(status.threadCount))
  }

  /// The bytes of the process that are in RAM; nil = the system has no /proc.
  public static var residentBytes: Int? { Status().map { $0.residentPages * pageBytes } }

  private static let cpu = MetricDescription(
    "process.cpu",
    "Processor time of the process, in user and system mode.",
    unit: .seconds
  )
  private static let maxFiles = MetricDescription(
    "process.max_fds",
    "The most file descriptors that the process may have open."
  )
  private static let openFiles = MetricDescription(
    "process.open_fds",
    "File descriptors that the process has open."
  )
  private static let residentMemory = MetricDescription(
    "process.resident_memory",
    "Memory of the process that is in RAM.",
    unit: .bytes
  )
  private static let virtualMemory = MetricDescription(
    "process.virtual_memory",
    "Address space of the process.",
    unit: .bytes
  )
  private static let threads = MetricDescription("process.threads", "Threads of the process.")

  private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Counts the entries of /proc/self/fd, without the one that this opens; nil = there is no such
  /// folder.
  private static var openFileCount: Int? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Less ".", ".." and the folder itself.
    return max(0, count - 3)
  }

  #if canImport(Glibc)
  private static var own: __rusage_who_t { __rusage_who_t(RUSAGE_SELF.rawValue) }
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
  private static var own: Int32 { RUSAGE_SELF }
  private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}

/// What /proc/self/stat says.
private struct Status {
  var threadCount: Int
  var virtualBytes: Int
  var residentPages: Int

  init?() {
    let file = unsafe open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    // The name of the program, which may hold anything, is in parentheses before the rest.
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 21, let threads = Int(fields[17]), let virtual = Int(fields[20]),
      let resident = Int(fields[21])
    else { return nil }
    threadCount = threads
    virtualBytes = virtual
    residentPages = resident
  }
}
