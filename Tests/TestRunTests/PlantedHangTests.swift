import Foundation
import TestRun
import Testing

/// A test that never ends, by which `.ci/run` sees that the watchdog of `Scripts/swift-test` works.
@Suite("A planted hang", .blocking)
struct PlantedHangTests {
  @Test(
    "it never ends",
    .enabled(if: ProcessInfo.processInfo.environment["APUS_PLANTED_HANG"] != nil))
  func hang() {
    hangForever()
  }
}

/// The function that the watchdog's stacks show.
@inline(never)
private func hangForever() {
  while true { sleep(60) }
}
