/// `2026-11-21T10:50:00.123456Z`: dates as text of one length, so that their order is that of text.
///
/// The calendar is the proleptic Gregorian one, calculated by days from 1970; years 0000 to 9999.
enum ISO8601Microseconds {
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  static func text(_ microseconds: Int64) -> String? {
    var day = microseconds / microsecondsPerDay
    var rest = microseconds % microsecondsPerDay
    if rest < 0 {
      rest += microsecondsPerDay
      day -= 1
    }
    let (year, month, dayOfMonth) = date(fromDay: day)
    guard (0...9999).contains(year) else { return nil }
    let seconds = rest / 1_000_000
    var bytes: [UInt8] = []
    bytes.reserveCapacity(27)
    func append(_ value: Int64, digits: Int, then separator: Unicode.Scalar) {
      var divisor = (1..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      while divisor > 0 {
        bytes.append(UInt8(truncatingIfNeeded: 48 + value / divisor % 10))
        divisor /= 10
      }
      bytes.append(UInt8(ascii: separator))
    }
    append(year, digits: 4, then: "-")
    append(month, digits: 2, then: "-")
    append(dayOfMonth, digits: 2, then: "T")
    append(seconds / 3600, digits: 2, then: ":")
    append(seconds / 60 % 60, digits: 2, then: ":")
    append(seconds % 60, digits: 2, then: ".")
    append(rest % 1_000_000, digits: 6, then: "Z")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The microseconds of exactly that text: a day that no month has is none.
  static func parse(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 27 else { return nil }
    let separators: [(Int, Unicode.Scalar)] = [
      (4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (26, "Z"),
    ]
    guard separators.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }) else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let fraction = number(20..<26)
    else { return nil }
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = self.day(fromYear: year, month: month, day: day)
    guard date(fromDay: days) == (year, month, day) else { return nil }
    return days * microsecondsPerDay + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
  }

  // Years begin in March here, so that a leap day is the last of its year; 146,097 days are the
  // 400 years after which the calendar repeats.

  private static func day(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func date(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
