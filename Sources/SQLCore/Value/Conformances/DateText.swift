/// The text format of one `StoredForm` of dates, such as `.iso8601`. It writes and parses dates.
/// All texts of a form have the same length, so that the texts sort like the dates. Parsing also
/// accepts spellings of the same date that other programs write.
///
/// The calendar is the proleptic Gregorian calendar, computed from the number of days since 1970,
/// for the years 0000 to 9999.
struct DateText {
  /// The character between date and time: `T` or a space.
  let separator: UInt8
  /// The number of digits after the decimal point of the seconds: 0, 3 or 6.
  let fractionDigits: Int
  /// Whether the text ends in `Z`.
  let hasZone: Bool

  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// Makes the format for a stored form of dates; nil if the stored form is not a text.
  init?(_ form: StoredForm) {
    switch form {
    case .iso8601: self.init("T", fractionDigits: 6, hasZone: true)
    case .iso8601Milliseconds: self.init("T", fractionDigits: 3, hasZone: true)
    case .iso8601Seconds: self.init("T", fractionDigits: 0, hasZone: true)
    case .datetime: self.init(" ", fractionDigits: 3, hasZone: false)
    case .datetimeSeconds: self.init(" ", fractionDigits: 0, hasZone: false)
    default: return nil
    }
  }

  private init(_ separator: Unicode.Scalar, fractionDigits: Int, hasZone: Bool) {
    self.separator = UInt8(ascii: separator)
    self.fractionDigits = fractionDigits
    self.hasZone = hasZone
  }

  /// Returns the text of a date that was rounded to the precision of the form; nil if the year does
  /// not have four digits.
  func text(_ microseconds: Int64) -> String? {
    var day = microseconds / Self.microsecondsPerDay
    var rest = microseconds % Self.microsecondsPerDay
    if rest < 0 {
      rest += Self.microsecondsPerDay
      day -= 1
    }
    let (year, month, dayOfMonth) = Self.date(fromDay: day)
    guard (0...9999).contains(year) else { return nil }
    let seconds = rest / 1_000_000
    var bytes: [UInt8] = []
    bytes.reserveCapacity(27)
    func append(_ value: Int64, digits: Int) {
      var divisor = (1..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      while divisor > 0 {
        bytes.append(UInt8(truncatingIfNeeded: 48 + value / divisor % 10))
        divisor /= 10
      }
    }
    append(year, digits: 4)
    bytes.append(UInt8(ascii: "-"))
    append(month, digits: 2)
    bytes.append(UInt8(ascii: "-"))
    append(dayOfMonth, digits: 2)
    bytes.append(separator)
    append(seconds / 3600, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    append(seconds / 60 % 60, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    append(seconds % 60, digits: 2)
    if fractionDigits > 0 {
      bytes.append(UInt8(ascii: "."))
      let fraction = rest % 1_000_000
      append(fractionDigits == 3 ? fraction / 1_000 : fraction, digits: fractionDigits)
    }
    if hasZone { bytes.append(UInt8(ascii: "Z")) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the microseconds since 1970 of a text that states a date exactly; nil for any other
  /// text.
  ///
  /// The text is `YYYY-MM-DD`, optionally followed by `T` or a space, `HH:MM`, seconds, a fraction,
  /// and `Z` or an offset such as `+02:00`. Without a time zone it is UTC, as in SQLite's own
  /// functions. Digits beyond microseconds must be zero, and the day must exist in its month.
  /// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html#time_values>
  static func parse(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = Reader(bytes: bytes)
      return reader.microseconds()
    }
  }

  /// A parser that reads digits and punctuation from left to right.
  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: sign) else { return false }
      position += 1
      return true
    }

    mutating func number(digits: Int) -> Int64? {
      guard position + digits <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[position..<position + digits] {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      position += digits
      return value
    }

    mutating func microseconds() -> Int64? {
      guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
        let day = number(digits: 2), (1...12).contains(month), (1...31).contains(day)
      else { return nil }
      let days = DateText.day(fromYear: year, month: month, day: day)
      guard DateText.date(fromDay: days) == (year, month, day) else { return nil }
      let midnight = days * DateText.microsecondsPerDay
      if isAtEnd { return midnight }
      guard take("T") || take(" "), let hour = number(digits: 2), take(":"),
        let minute = number(digits: 2), hour < 24, minute < 60
      else { return nil }
      var time = (hour * 60 + minute) * 60_000_000
      if take(":") {
        guard let second = number(digits: 2), second < 60 else { return nil }
        time += second * 1_000_000
        if take(".") {
          guard let fraction = fraction() else { return nil }
          time += fraction
        }
      }
      guard let offset = offset(), isAtEnd else { return nil }
      return midnight + time - offset
    }

    /// Reads the digits after the decimal point, as microseconds.
    private mutating func fraction() -> Int64? {
      var value: Int64 = 0
      var digits = 0
      while position < bytes.count, (48...57).contains(bytes[position]) {
        let digit = Int64(bytes[position] - 48)
        if digits < 6 { value = value * 10 + digit } else if digit != 0 { return nil }
        digits += 1
        position += 1
      }
      guard digits > 0 else { return nil }
      while digits < 6 {
        value *= 10
        digits += 1
      }
      return value
    }

    /// Reads the time zone. Returns the number of microseconds to subtract from the time to get
    /// UTC. This is 0 if the text has no time zone. Returns nil if the time zone is malformed.
    private mutating func offset() -> Int64? {
      if isAtEnd || take("Z") { return 0 }
      let isWest = take("-")
      guard isWest || take("+"), let hours = number(digits: 2), take(":"),
        let minutes = number(digits: 2), hours < 24, minutes < 60
      else { return nil }
      return (isWest ? -1 : 1) * (hours * 60 + minutes) * 60_000_000
    }
  }

  // In this calculation, years begin in March, so that a leap day is the last day of its year. The
  // calendar repeats after 400 years, which have 146,097 days.

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
