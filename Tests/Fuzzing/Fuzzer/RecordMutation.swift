// SPDX-License-Identifier: Apache-2.0

import ProtocolFuzzTargets
import TestSupport

/// Changes an input that is made of records: one of them as libFuzzer would, or their order, so
/// that the lengths before the others stay right.
enum RecordMutation {
  /// - Parameter mutate: changes bytes, of which there may be `room` in the end.
  static func changed(
    _ input: [UInt8],
    seed: UInt32,
    mutate: (_ record: [UInt8], _ room: Int) -> [UInt8]
  ) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(seed))
    var records = Records.split(input).map { Array($0) }
    guard !records.isEmpty else { return mutate(input, input.count + 64) }
    let place = random.below(records.count)
    switch random.below(10) {
    case 0: records.insert(records[place], at: random.below(records.count + 1))
    case 1: records.remove(at: place)
    case 2: records.swapAt(place, random.below(records.count))
    default: records[place] = mutate(records[place], records[place].count + 64)
    }
    return Records.join(records)
  }
}

/// libFuzzer's own way to change bytes in place; returns how many there are then.
@_silgen_name("LLVMFuzzerMutate")
private func mutateInPlace(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// Called to make a new input of an old one, in place.
@_cdecl("LLVMFuzzerCustomMutator")
func mutateInput(
  _ bytes: UnsafeMutablePointer<UInt8>,
  _ count: Int,
  _ room: Int,
  _ seed: UInt32
) -> Int {
  // Now and then the lengths have to be wrong too.
  guard ["sessions", "frames"].contains(Fuzzer.name), seed % 16 != 0 else {
    return mutateInPlace(bytes, count, room)
  }
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let changed = RecordMutation.changed(input, seed: seed) { record, room in
    var buffer = record + Array(repeating: 0, count: room - record.count)
    let count = buffer.withUnsafeMutableBufferPointer {
      $0.baseAddress.map { mutateInPlace($0, record.count, room) } ?? 0
    }
    return Array(buffer.prefix(count))
  }
  guard changed.count <= room else { return mutateInPlace(bytes, count, room) }
  for (index, byte) in changed.enumerated() { bytes[index] = byte }
  return changed.count
}
