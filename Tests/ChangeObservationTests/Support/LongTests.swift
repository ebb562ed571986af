#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether the tests that draw lots draw many: `APUS_LONG_TESTS=1`.
enum LongTests {
  static let areOn = ProcessInfo.processInfo.environment["APUS_LONG_TESTS"] == "1"

  /// The seed of a test: another one each time, or the one of `APUS_SEED`, to see a failure again.
  static var seed: UInt64 {
    ProcessInfo.processInfo.environment["APUS_SEED"].flatMap(UInt64.init)
      ?? .random(in: .min ... .max)
  }
}
