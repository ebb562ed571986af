import Foundation

/// Hands libFuzzer what it calls with each input; the environment says what is tried: `FUZZ=decoding`.
///
/// Whatever the input is, nothing traps: what cannot be done throws.
@main
enum Fuzz {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, fuzzOneInput))
  }
}

/// libFuzzer is linked as a whole, with a `main` of its own, which wants this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// libFuzzer's own loop.
/// - SeeAlso: <https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library>
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ input: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

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

/// Ends the program, which is what the fuzzer looks for, where something does not hold.
func expect(_ condition: Bool, _ message: String) {
  precondition(condition, message)
}

/// Runs what may throw: that is all that may happen.
func mayThrow(_ body: () throws -> Void) {
  do { try body() } catch {
    // An error describes itself, whatever it is about.
    expect(!"\(error)".isEmpty, "an error says nothing")
  }
}
