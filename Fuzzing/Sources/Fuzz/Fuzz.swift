import Foundation

/// The program that starts libFuzzer with the target that the environment names, such as
/// `FUZZ=decoding`.
///
/// No input may cause a trap. If an operation is not possible, the library must throw an error.
@main
enum Fuzz {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, fuzzOneInput))
  }
}

/// Runs the target with one input. All of libFuzzer is linked, including its own `main`, which
/// refers to a function with this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Runs libFuzzer's own loop.
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

/// Returns the bytes as text; bytes that are not valid UTF-8 become replacement characters.
func text(_ bytes: some Sequence<UInt8>) -> String {
  String(decoding: Array(bytes), as: UTF8.self)
}

/// Ends the program if a condition does not hold. libFuzzer reports this.
func expect(_ condition: Bool, _ message: String) {
  precondition(condition, message)
}

/// Runs a closure that may throw an error. Any other failure, such as a trap, ends the program.
func mayThrow(_ body: () throws -> Void) {
  do { try body() } catch {
    // The description of every error must not be empty, and computing it must not trap.
    expect(!"\(error)".isEmpty, "an error says nothing")
  }
}
