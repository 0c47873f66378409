// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another process, seen through /proc; zeros where there is none.
struct ServerProcess: Sendable {
  var pid: Int

  /// In user and kernel mode, all threads.
  var processorSeconds: Double {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let name = stat.lastIndex(of: ")")
    else { return 0 }
    let fields = stat[name...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
    else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  var residentBytes: Int {
    guard let statm = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8),
      let pages = statm.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
