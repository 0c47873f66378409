// SPDX-License-Identifier: Apache-2.0

internal import InspectorFiles
internal import NIOHTTP1

/// The files of the inspector's page, which are part of the program.
enum Inspector {
  /// Where the page is.
  static let path = "/inspector/"

  /// A page may load what this port serves and connect to it, and nothing else. No page may show it
  /// in a frame.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// All files by path.
  private static let files: [String: [UInt8]] = {
    let table = unsafe UnsafeBufferPointer(start: inspector_files(), count: inspector_file_count())
    var files: [String: [UInt8]] = [:]
    for index in table.indices {
      let file = unsafe table[index]
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
      unsafe files[String(cString: file.path)] = Array(bytes)
    }
    return files
  }()

  /// Redirects to the page.
  static var redirection: AdminResponse {
    var response = AdminResponse(.found, path)
    response.headers.add(name: "Location", value: path)
    return response
  }

  /// - Returns: nil = there is no such file.
  static func response(at path: String) -> AdminResponse? {
    if path == Self.path.dropLast() { return redirection }
    let name = path.hasSuffix("/") ? "\(path)index.html" : path
    guard let body = files[name] else { return nil }
    var response = AdminResponse(body, contentType: contentType(of: name))
    response.headers = [
      "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer",
      "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    ]
    return response
  }

  private static func contentType(of name: String) -> String {
    if name.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
    if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
    if name.hasSuffix(".svg") { return "image/svg+xml" }
    return "text/html; charset=utf-8"
  }
}
