import Foundation

/// What libFuzzer calls with each input; the environment says what is tried: `FUZZ=decoding`.
///
/// Whatever the input is, nothing traps: what cannot be done throws.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  target(bytes)
  return 0
}

private let targets: [String: @Sendable ([UInt8]) -> Void] = [
  "decoding": decodeStatement, "names": interpolate, "migration": migrateAnything,
  "stanzas": readStanzas,
]

private let target: @Sendable ([UInt8]) -> Void = {
  let name = ProcessInfo.processInfo.environment["FUZZ"] ?? ""
  guard let target = targets[name] else {
    let names = targets.keys.sorted().joined(separator: ", ")
    FileHandle.standardError.write(Data("FUZZ must be one of \(names)\n".utf8))
    exit(64)
  }
  return target
}()

/// The bytes as text, repaired where they are none.
func text(_ bytes: some Sequence<UInt8>) -> String {
  String(decoding: Array(bytes), as: UTF8.self)
}

/// Runs what may throw: that is all that may happen.
func mayThrow(_ body: () throws -> Void) {
  do { try body() } catch {
    // An error describes itself, whatever it is about.
    precondition(!"\(error)".isEmpty)
  }
}
