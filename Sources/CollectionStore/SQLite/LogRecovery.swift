// SPDX-License-Identifier: Apache-2.0

/// Finds what SQLite recovers of a write-ahead log, and what it would drop.
///
/// SQLite takes the frames up to the first whose salts or checksum do not match, and of those the
/// ones up to the last that ends a transaction
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). It drops the rest silently. That
/// is right for a transaction that was torn by a crash, but a damaged frame makes it drop all later
/// transactions too.
///
/// The two cases differ in what follows. Each commit is synced before the next one begins, and the
/// first transaction after a start restarts the log, with other salts. So after a crash at most
/// one end of a transaction with the header's salts follows the recovered frames.
struct LogRecovery {
  /// The size of a frame in bytes: a header and a page.
  let frameBytes: Int
  /// The size of the recovered transactions, including the log's header; 0 = the header is damaged.
  private(set) var recoveredBytes: Int64
  /// The number of transaction ends found after `recoveredBytes`.
  private(set) var droppedCommits = 0
  private let isBigEndian: Bool
  /// The header's salts; if the header is damaged, those of the last frame.
  private var salts: UInt64
  private var sums: (UInt32, UInt32) = (0, 0)
  /// Whether all frames so far match.
  private var isIntact: Bool
  private let hasHeader: Bool
  private var bytes: Int64 = Self.headerBytes

  static let headerBytes: Int64 = 32
  private static let frameHeaderBytes = 24
  private static let magic: UInt32 = 0x377F_0682
  private static let format: UInt32 = 3_007_000

  /// How many transactions a crash may have torn.
  static let tornCommits = 1

  /// Whether acknowledged transactions would be dropped.
  var isDamaged: Bool { droppedCommits > Self.tornCommits }

  /// - Parameters:
  ///   - header: the first `headerBytes` of the log, with indices from 0.
  ///   - pageBytes: the size of the database's pages, in case the header is damaged.
  init(header: ArraySlice<UInt8>, pageBytes: Int) {
    let magic = Self.word(header, 0)
    isBigEndian = magic & 1 == 1
    salts = Self.pair(header, 16)
    Self.add(header, count: 24, isBigEndian, to: &sums)
    let size = Int(Self.word(header, 8))
    hasHeader =
      magic & ~1 == Self.magic && Self.word(header, 4) == Self.format && Self.isPageSize(size)
      && sums == (Self.word(header, 24), Self.word(header, 28))
    isIntact = hasHeader
    frameBytes = Self.frameHeaderBytes + (hasHeader ? size : pageBytes)
    recoveredBytes = hasHeader ? Self.headerBytes : 0
  }

  /// Whether this is a valid page size of SQLite.
  static func isPageSize(_ bytes: Int) -> Bool {
    512 ... 65_536 ~= bytes && bytes.nonzeroBitCount == 1
  }

  /// Adds the next frame.
  ///
  /// - Parameter frame: `frameBytes` bytes.
  mutating func add(_ frame: ArraySlice<UInt8>) {
    bytes += Int64(frameBytes)
    let start = frame.startIndex
    let found = Self.pair(frame, start + 8)
    let isCommit = Self.word(frame, start + 4) != 0
    if isIntact, found == salts, Self.word(frame, start) != 0 {
      Self.add(frame, count: 8, isBigEndian, to: &sums)
      Self.add(
        frame.dropFirst(Self.frameHeaderBytes),
        count: frameBytes - Self.frameHeaderBytes,
        isBigEndian,
        to: &sums
      )
      if sums == (Self.word(frame, start + 16), Self.word(frame, start + 20)) {
        if isCommit { recoveredBytes = bytes }
        return
      }
    }
    isIntact = false
    if !hasHeader, !isDamaged, found != salts { (salts, droppedCommits) = (found, 0) }
    if isCommit, found == salts { droppedCommits += 1 }
  }

  /// Two consecutive words.
  private static func pair(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt64 {
    UInt64(word(bytes, offset)) << 32 | UInt64(word(bytes, offset + 4))
  }

  /// A number in a header, which is big-endian.
  private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
    bytes[index ..< index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Adds bytes to the log's checksum, eight at a time, in the log's byte order.
  ///
  /// Unsafe code only for speed. Every read is below the count of `bytes`.
  private static func add(
    _ bytes: ArraySlice<UInt8>,
    count: Int,
    _ isBigEndian: Bool,
    to sums: inout (UInt32, UInt32)
  ) {
    var (first, second) = sums
    unsafe bytes.withUnsafeBytes { bytes in
      var index = 0
      while index + 8 <= min(count, bytes.count) {
        let one = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
        let two = unsafe bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
        first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
        second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
        index += 8
      }
    }
    sums = (first, second)
  }
}

extension LogRecovery {
  /// The size of the pieces in which a log is read, at least one frame.
  private static let pieceBytes = 1 << 20
  /// The size of pages if the database does not tell it.
  private static let usualPageBytes = 4096

  /// Reads a log piece by piece.
  ///
  /// - Parameters:
  ///   - path: the path of the log.
  ///   - database: the path of the database.
  /// - Returns: nil = the log is not there, or shorter than its header.
  /// - Throws: `SystemError` if a file cannot be read.
  /// - Complexity: O(bytes of the log)
  static func reading(_ path: String, of database: String) throws(SystemError) -> LogRecovery? {
    guard let size = FileStatus(path: path)?.size, size >= headerBytes else { return nil }
    let log = try SystemFile(reading: path)
    defer { log.closeFile() }
    let header = try log.bytes(Int(headerBytes), at: 0)
    guard header.count == headerBytes else { return nil }
    var recovery = LogRecovery(header: header[...], pageBytes: try pageBytes(of: database))
    let piece = max(1, pieceBytes / recovery.frameBytes) * recovery.frameBytes
    var offset = headerBytes
    while true {
      let bytes = try log.bytes(piece, at: offset)
      var frames = bytes[...]
      while frames.count >= recovery.frameBytes {
        recovery.add(frames.prefix(recovery.frameBytes))
        frames.removeFirst(recovery.frameBytes)
      }
      guard bytes.count == piece else { return recovery }
      offset += Int64(piece)
    }
  }

  /// The size of a database's pages, according to its header.
  private static func pageBytes(of database: String) throws(SystemError) -> Int {
    let file = try SystemFile(reading: database)
    defer { file.closeFile() }
    let found = try file.bytes(2, at: 16)
    guard found.count == 2 else { return usualPageBytes }
    let bytes = Int(found[0]) << 8 | Int(found[1])
    // 65,536 does not fit into 16 bits.
    if bytes == 1 { return 65_536 }
    return isPageSize(bytes) ? bytes : usualPageBytes
  }
}
