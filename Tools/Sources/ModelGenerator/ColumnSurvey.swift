import Apus
import Foundation

/// The properties that all values of one column share, found by reading its table once.
struct ColumnSurvey {
  private(set) var nullCount = 0
  private(set) var counts: [StorageClass: Int] = [:]
  /// Whether the column has a text that is not UTF-8.
  private(set) var hasBrokenText = false
  private(set) var integers: ClosedRange<Int64>?
  private(set) var reals: ClosedRange<Double>?
  /// Whether an INTEGER is too large for a Double to hold it exactly.
  private(set) var hasLargeInteger = false
  /// The text forms of dates in which every text of the column can be read and written back
  /// unchanged. `uuidForms` has the text forms of UUIDs for which the same is true.
  private(set) var dateForms: [StoredForm] = [
    .datetime, .datetimeSeconds, .iso8601, .iso8601Milliseconds, .iso8601Seconds,
  ]
  private(set) var uuidForms: [StoredForm] = [.standard, .uppercase]
  /// The forms of a date, stored as REAL, that can read and write every number of the column
  /// without rounding it.
  private(set) var realForms: [StoredForm] = [.unixSeconds, .julianDay, .referenceSeconds]
  /// Whether every BLOB has 16 bytes, as a UUID does.
  private(set) var hasUUIDBytes = true
  /// Whether every text is an array or an object of JSON. `isDecimal` and `isDay` say whether every
  /// text is a decimal number or a day.
  private(set) var isJSON = true
  private(set) var isDecimal = true
  private(set) var isDay = true
  /// Whether every text begins with a day, such as `2026-11-21`. In all text forms, dates begin
  /// with a day.
  private(set) var beginsWithDay = true
  /// The different texts; nil if there are more than 8, or if one has more than 24 bytes.
  private(set) var texts: Set<String>? = []

  /// The number of values that are not NULL.
  var count: Int { counts.values.reduce(0, +) }

  /// The storage classes of the values.
  var classes: Set<StorageClass> { Set(counts.keys) }

  mutating func add(_ value: DatabaseValue?) {
    // Here, nil stands for a text that cannot be read as UTF-8.
    guard let value else {
      hasBrokenText = true
      counts[.text, default: 0] += 1
      return
    }
    guard !value.isNull else {
      nullCount += 1
      return
    }
    counts[value.storageClass, default: 0] += 1
    switch value {
    case .null: break
    case .invalidText: hasBrokenText = true
    case .integer(let integer):
      integers = integers?.widened(to: integer) ?? integer...integer
      if Double(exactly: integer) == nil { hasLargeInteger = true }
    case .real(let real):
      reals = reals?.widened(to: real) ?? real...real
      realForms.removeAll { !value.isWritten(as: Date.self, $0) }
    case .blob(let data): hasUUIDBytes = hasUUIDBytes && data.count == 16
    case .text(let text): add(text, value)
    }
  }

  private mutating func add(_ text: String, _ value: DatabaseValue) {
    let length = text.utf8.count
    if !dateForms.isEmpty {
      dateForms.removeAll { form in
        (19...27).contains(length) ? !value.isWritten(as: Date.self, form) : true
      }
    }
    if !uuidForms.isEmpty {
      uuidForms.removeAll { length == 36 ? !value.isWritten(as: UUID.self, $0) : true }
    }
    if isJSON { isJSON = text.isJSONContainer }
    if isDecimal { isDecimal = length < 40 && (try? value.read(Decimal.self)) != nil }
    if beginsWithDay { beginsWithDay = text.beginsWithDay }
    if isDay { isDay = length == 10 && beginsWithDay }
    if texts != nil, !(texts?.contains(text) ?? true) {
      texts = length <= 24 && (texts?.count ?? 0) < 8 ? texts?.union([text]) : nil
    }
  }
}

extension ClosedRange {
  fileprivate func widened(to bound: Bound) -> ClosedRange {
    Swift.min(lowerBound, bound)...Swift.max(upperBound, bound)
  }
}

extension DatabaseValue {
  /// Returns whether this value stays the same if `type` reads it in the given form and writes it
  /// back.
  fileprivate func isWritten<Value: ColumnValue>(as type: Value.Type, _ form: StoredForm) -> Bool {
    guard let value = try? read(type, as: form) else { return false }
    return (try? value.databaseValue(as: form)) == self
  }
}

extension String {
  fileprivate var isJSONContainer: Bool {
    guard let first = utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return false
    }
    return (try? JSONSerialization.jsonObject(with: Data(utf8))) != nil
  }

  /// Whether the text begins with a day, such as `2026-11-21`.
  fileprivate var beginsWithDay: Bool {
    let day = utf8.prefix(10)
    return day.count == 10
      && day.enumerated().allSatisfy { index, byte in
        index == 4 || index == 7
          ? byte == UInt8(ascii: "-")
          : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }
}
