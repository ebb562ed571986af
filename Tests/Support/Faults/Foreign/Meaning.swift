import Foundation

/// The meaning of a value, whatever its stored form. It must be the same before and after a
/// migration.
enum Meaning: Hashable, Sendable {
  case null
  case number(Decimal)
  /// A number that no Decimal can hold: an infinity, or a Double far from 0.
  case real(UInt64)
  case bool(Bool)
  case text([UInt8])
  case bytes([UInt8])
  /// An instant, in microseconds since 1970.
  case instant(Int64)
  case uuid([UInt8])
  case json(String)
}

/// The kind of meaning that a Swift type has.
enum MeaningKind: Sendable {
  /// A `float` is a number of 24 bits.
  case number, float, bool, text, bytes, instant, uuid, json
}

/// All meanings that a stored value can have for a type, written independently of the library. The
/// library may fail to read some form, but must never read another meaning.
struct Meanings {
  let all: Set<Meaning>

  init(of value: PlainValue, as kind: MeaningKind) {
    switch (kind, value) {
    case (_, .null): all = [.null]
    case (.float, _):
      all = Set(
        Meanings(of: value, as: .number).all.compactMap { meaning in
          switch meaning {
          case .number(let number): Float("\(number)").map { .of(Double($0)) }
          case .real(let bits): .of(Double(Float(Double(bitPattern: bits))))
          default: nil
          }
        })
    case (.number, .integer(let number)): all = [.number(Decimal(number))]
    case (.number, .real(let bits)): all = [.of(Double(bitPattern: bits))]
    case (.number, .text(let text)): all = Self.number(text)
    // The bytes may be those of a text.
    case (.number, .bytes(let bytes)), (.instant, .bytes(let bytes)), (.json, .bytes(let bytes)):
      let text = String(validating: bytes, as: UTF8.self)
      all = text.map { Meanings(of: .text($0), as: kind).all } ?? []
    case (.bool, .integer(let number)): all = Self.bool(Double(number))
    case (.bool, .real(let bits)): all = Self.bool(Double(bitPattern: bits))
    case (.bool, .text(let text)): all = Self.bool(text)
    case (.text, .integer(let number)): all = [.text(Array("\(number)".utf8))]
    case (.text, .real(let bits)): all = [.text(Array("\(Double(bitPattern: bits))".utf8))]
    case (.text, .text(let text)): all = [.text(Array(text.utf8))]
    case (.text, .bytes(let bytes)): all = [.text(bytes)]
    case (.bytes, .text(let text)): all = [.bytes(Array(text.utf8))]
    case (.bytes, .bytes(let bytes)): all = [.bytes(bytes)]
    case (.instant, .integer(let number)): all = Self.instants(of: Double(number), number)
    case (.instant, .real(let bits)): all = Self.instants(of: Double(bitPattern: bits), nil)
    case (.instant, .text(let text)): all = Self.instants(of: text)
    case (.uuid, .text(let text)): all = Self.uuid(text)
    case (.uuid, .bytes(let bytes)) where bytes.count == 16: all = [.uuid(bytes)]
    case (.uuid, .bytes(let bytes)): all = Self.uuid(String(decoding: bytes, as: UTF8.self))
    case (.json, .text(let text)): all = Self.json(text)
    case (.json, .integer(let number)): all = Self.json("\(number)")
    case (.json, .real(let bits)): all = Self.json("\(Double(bitPattern: bits))")
    default: all = []
    }
  }

  // MARK: Numbers

  /// Returns the number that a text stands for, with all its digits.
  private static func number(_ text: String) -> Set<Meaning> {
    let text = text.trimmingCharacters(in: .whitespaces)
    let form = /[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/
    guard text.wholeMatch(of: form) != nil else { return [] }
    // A Decimal has at most 38 digits.
    guard text.prefix(while: { $0 != "e" && $0 != "E" }).count(where: \.isNumber) <= 38 else {
      return []
    }
    guard let number = Decimal(string: text), !number.isNaN else {
      return Double(text).map { [.of($0)] } ?? []
    }
    if let double = Double(text), case .real = Meaning.of(double) { return [.of(double)] }
    return [.number(number)]
  }

  private static func bool(_ number: Double) -> Set<Meaning> {
    number == 0 ? [.bool(false)] : number == 1 ? [.bool(true)] : []
  }

  private static func bool(_ text: String) -> Set<Meaning> {
    switch text.lowercased() {
    case "0", "0.0", "false", "f", "no", "n", "off": [.bool(false)]
    case "1", "1.0", "true", "t", "yes", "y", "on": [.bool(true)]
    default: []
    }
  }

  // MARK: Dates

  private static let from1970To2001 = 978_307_200.0
  private static let julianDayOf1970 = 2_440_587.5

  /// Returns the dates that a number can mean: those of its interpretations that are between 1971
  /// and 2200 or else microseconds.
  private static func instants(of number: Double, _ integer: Int64?) -> Set<Meaning> {
    var seconds = [
      number, number / 1_000, number / 1_000_000, (number - julianDayOf1970) * 86_400,
    ]
    // A small number is a count rather than a date.
    if number > 100_000_000 { seconds.append(number + from1970To2001) }
    let plausible = seconds.filter { (31_536_000..<7_258_118_400).contains($0) }
    var found = Set(plausible.map { Meaning.instant(Int64(($0 * 1_000_000).rounded())) })
    // An integer is taken exactly.
    if let integer, plausible.isEmpty || plausible.contains(number / 1_000_000) {
      found.insert(.instant(integer))
    }
    return found
  }

  /// Returns the date of a text, in UTC if it has no time zone: `2009-01-01`, optionally with a
  /// time after a space or a T, with a fraction, with Z or an offset; and `20090101T000000Z`.
  private static func instants(of text: String) -> Set<Meaning> {
    let form =
      /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(Z|[+-]\d\d:?\d\d)?)?/
    if let parts = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/) {
      return instants(of: "\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6)Z")
    }
    guard let match = text.wholeMatch(of: form) else { return [] }
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
    let (year, month, day) = (number(match.1), number(match.2), number(match.3))
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    guard (1...12).contains(month), (1...daysOfMonth(month, year)).contains(day), hour < 24,
      minute < 60, second < 60
    else { return [] }
    let digits = (match.7.map(String.init) ?? "").padding(toLength: 6, withPad: "0", startingAt: 0)
    // Digits beyond microseconds are ignored: a Date could not keep them.
    var seconds = daysFrom1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
    if let zone = match.8, zone != "Z" {
      let digits = zone.filter(\.isNumber)
      let offset = number(digits.prefix(2)) * 3_600 + number(digits.suffix(2)) * 60
      seconds -= zone.first == "-" ? -offset : offset
    }
    let microseconds = Int64(seconds) * 1_000_000 + Int64(number(digits[...]))
    let isRounded = (match.7?.dropFirst(6).first).map { $0 >= "5" } ?? false
    return isRounded
      ? [.instant(microseconds), .instant(microseconds + 1)] : [.instant(microseconds)]
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
    [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  private static func daysFrom1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    var days = day - 1
    for month in 1..<month { days += daysOfMonth(month, year) }
    if year >= 1970 {
      for year in 1970..<year { days += isLeap(year) ? 366 : 365 }
    } else {
      for year in year..<1970 { days -= isLeap(year) ? 366 : 365 }
    }
    return days
  }

  /// Returns the date that a number means in a form that a schema declares; `begin` is the second
  /// at which the form's count begins.
  static func instant(of value: PlainValue, unit: Double, from begin: Double) -> Meaning? {
    let number: Double
    switch value {
    case .integer(let integer): number = Double(integer)
    case .real(let bits): number = Double(bitPattern: bits)
    default: return nil
    }
    return Int64(exactly: ((number * unit + begin) * 1_000_000).rounded()).map { .instant($0) }
  }

  // MARK: Others

  private static func uuid(_ text: String) -> Set<Meaning> {
    let digits = text.filter { $0.isHexDigit }
    let rest = text.filter { !$0.isHexDigit }
    guard digits.count == 32, rest.allSatisfy({ "-{}".contains($0) }) else { return [] }
    var bytes: [UInt8] = []
    var digitsLeft = digits[...]
    while !digitsLeft.isEmpty {
      guard let byte = UInt8(digitsLeft.prefix(2), radix: 16) else { return [] }
      bytes.append(byte)
      digitsLeft = digitsLeft.dropFirst(2)
    }
    return [.uuid(bytes)]
  }

  private static func json(_ text: String) -> Set<Meaning> {
    Meaning.json(of: text).map { [$0] } ?? []
  }
}

extension Meaning {
  /// Returns a Double as a number with its shortest digits that no other Double has.
  static func of(_ number: Double) -> Meaning {
    guard number.isFinite, number == 0 || (1e-60...1e60).contains(number.magnitude),
      let decimal = Decimal(string: "\(number)")
    else { return .real(number.bitPattern) }
    return .number(decimal)
  }

  /// Returns a JSON text by its content.
  static func json(of text: String) -> Meaning? {
    guard
      let object = try? JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed),
      let data = try? JSONSerialization.data(
        withJSONObject: object, options: [.sortedKeys, .fragmentsAllowed])
    else { return nil }
    return .json(String(decoding: data, as: UTF8.self))
  }
}
