import Foundation
import TestRun
import Testing

/// A test that never ends, with which `.ci/run` checks the watchdog of `Scripts/Support/swift-test`.
@Suite("A planted hang", .blocking)
struct PlantedHangTests {
  @Test(
    "the test never ends",
    .enabled(if: ProcessInfo.processInfo.environment["APUS_PLANTED_HANG"] != nil))
  func hang() {
    hangForever()
  }
}

/// The function that the stacks of the watchdog show.
@inline(never)
private func hangForever() {
  while true { sleep(60) }
}
