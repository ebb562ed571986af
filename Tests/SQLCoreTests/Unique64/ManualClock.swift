import Foundation
import SQLCore

/// 2001 plus 2⁴⁷ ticks of 16 µs: 2072-05-10, the first moment that the layout cannot hold.
let endOfUnique64 = Date(timeIntervalSinceReferenceDate: Double(1 << 47) / 62_500)

/// A clock that a test sets.
final class ManualClock: Sendable {
  private let date: Lock<Date>

  init(_ date: Date) {
    self.date = Lock(date)
  }

  @Sendable func read() -> Date {
    date.withLock { $0 }
  }

  func set(_ date: Date) {
    self.date.withLock { $0 = date }
  }

  func advance(by seconds: TimeInterval) {
    date.withLock { $0 = $0.addingTimeInterval(seconds) }
  }
}

extension [Unique64] {
  var isStrictlyIncreasing: Bool {
    zip(self, dropFirst()).allSatisfy(<)
  }
}
