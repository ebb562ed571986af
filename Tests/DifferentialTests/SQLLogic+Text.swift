import Foundation
import SQLCore

// SQLite's functions on text. Some see a text up to its first U+0000, others see the whole text.
// https://www.sqlite.org/lang_corefunc.html

extension SQLLogic {
  typealias Scalars = [Unicode.Scalar]

  private static func whole(text value: DatabaseValue) -> Scalars? {
    if case .text(let text) = value { Array(text.unicodeScalars) } else { nil }
  }

  private static func visible(_ value: DatabaseValue) -> Scalars? {
    whole(text: value).map { Array($0.prefix { $0.value != 0 }) }
  }

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> DatabaseValue {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return .text(String(view))
  }

  /// The number of scalars before the first U+0000.
  static func length(_ value: DatabaseValue) -> DatabaseValue {
    visible(value).map { .integer(Int64($0.count)) } ?? .null
  }

  static func lower(_ value: DatabaseValue) -> DatabaseValue {
    guard let scalars = whole(text: value) else { return .null }
    return text(scalars.map(lower))
  }

  private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value + 32)) : scalar
  }

  /// The text as a search without case compares it; the text itself without a folding.
  static func folded(_ value: DatabaseValue, _ folding: CaseFolding?) -> DatabaseValue {
    switch folding {
    case nil: return value
    case .ascii: return lower(value)
    case .unicode:
      guard let scalars = whole(text: value) else { return .null }
      let upper = scalars.flatMap { $0.properties.uppercaseMapping.unicodeScalars }
      return text(upper.flatMap { $0.properties.lowercaseMapping.unicodeScalars })
    }
  }

  static func upper(_ value: DatabaseValue) -> DatabaseValue {
    guard let scalars = whole(text: value) else { return .null }
    return text(
      scalars.map { ("a"..."z").contains($0) ? Unicode.Scalar(UInt8($0.value - 32)) : $0 })
  }

  static func concat(_ left: DatabaseValue, _ right: DatabaseValue) -> DatabaseValue {
    guard case .text(let a) = left, case .text(let b) = right else { return .null }
    return .text(a + b)
  }

  static func trim(
    _ value: DatabaseValue, _ characters: String, start: Bool, end: Bool
  ) -> DatabaseValue {
    guard var scalars = whole(text: value)?[...] else { return .null }
    let set = Set(characters.unicodeScalars)
    if start { scalars = scalars.drop { set.contains($0) } }
    if end { while let last = scalars.last, set.contains(last) { scalars.removeLast() } }
    return text(scalars)
  }

  static func replace(
    _ value: DatabaseValue, _ part: String, with other: String
  ) -> DatabaseValue {
    guard let scalars = whole(text: value) else { return .null }
    let (part, other) = (Array(part.unicodeScalars), Array(other.unicodeScalars))
    var replaced: Scalars = []
    var rest = scalars[...]
    while !rest.isEmpty {
      if rest.starts(with: part) {
        replaced += other
        rest = rest.dropFirst(part.count)
      } else {
        replaced.append(rest.removeFirst())
      }
    }
    return text(replaced)
  }

  /// The part from a place, counted from 1. Place 0 is before the first scalar; a negative place
  /// counts from the end.
  static func substr(_ value: DatabaseValue, _ start: Int, _ length: Int) -> DatabaseValue {
    guard let scalars = visible(value) else { return .null }
    var (start, length) = (start, length)
    if start < 0 {
      start += scalars.count
      if start < 0 {
        length = max(0, length + start)
        start = 0
      }
    } else if start > 0 {
      start -= 1
    } else if length > 0 {
      length -= 1
    }
    return text(scalars.dropFirst(start).prefix(length))
  }

  /// The place, counted from 1, of the first occurrence of a text in another.
  static func instr(_ value: DatabaseValue, _ part: DatabaseValue) -> DatabaseValue {
    guard let scalars = whole(text: value), let part = whole(text: part) else { return .null }
    guard part.count <= scalars.count else { return 0 }
    let place = (0...scalars.count - part.count).first { scalars[$0...].starts(with: part) }
    return .integer(Int64(place.map { $0 + 1 } ?? 0))
  }

  static func unicode(_ value: DatabaseValue) -> DatabaseValue {
    visible(value)?.first.map { .integer(Int64($0.value)) } ?? .null
  }

  static func hex(_ value: DatabaseValue) -> DatabaseValue {
    guard case .text(let text) = value else { return "" }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 { bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return .text(String(decoding: bytes, as: UTF8.self))
  }

  /// The number of a key in a JSON object of numbers.
  static func member(_ key: String, of json: DatabaseValue) -> DatabaseValue {
    guard case .text(let text) = json,
      let object = try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8)),
      let number = object[key]
    else { return .null }
    return .integer(Int64(number))
  }

  // MARK: Collations

  /// NOCASE folds the letters of ASCII. It compares the texts before U+0000, and then the lengths.
  static func orderWithoutCase(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
    guard case .text(let a) = left, case .text(let b) = right else { return order(left, right) }
    let (x, y) = (folded(a), folded(b))
    for (one, other) in zip(x + [0], y + [0]) {
      if one != other { return one < other ? -1 : 1 }
      if one == 0 { break }
    }
    let (m, n) = (a.utf8.count, b.utf8.count)
    return m < n ? -1 : m > n ? 1 : 0
  }

  private static func folded(_ text: String) -> [UInt8] {
    text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
  }

  /// RTRIM ignores trailing spaces.
  static func orderWithoutSpaces(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
    order(
      trim(left, " ", start: false, end: true), trim(right, " ", start: false, end: true))
  }

  // MARK: Patterns

  /// One step of a pattern.
  private enum Step {
    case any
    case one
    case literal(Unicode.Scalar)
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
  }

  /// LIKE sees the text before U+0000, and ignores the case of ASCII letters.
  static func like(
    _ value: DatabaseValue, _ pattern: String, escape: Unicode.Scalar? = nil
  ) -> Truth {
    guard let scalars = visible(value) else { return nil }
    var steps: [Step] = []
    var isEscaped = false
    for scalar in visible(.text(pattern)) ?? [] {
      switch scalar {
      case escape where !isEscaped: isEscaped = true
      case "%" where !isEscaped: steps.append(.any)
      case "_" where !isEscaped: steps.append(.one)
      default:
        steps.append(.literal(lower(scalar)))
        isEscaped = false
      }
    }
    // An escape character at the end of a pattern matches nothing.
    return !isEscaped && matches(scalars.map(lower), steps)
  }

  /// GLOB: `*`, `?`, `[a-c]`, `[^a]`, case-sensitive.
  static func glob(_ value: DatabaseValue, _ pattern: String) -> Truth {
    guard let scalars = visible(value) else { return nil }
    var steps: [Step] = []
    var rest = Array(pattern.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": steps.append(.any)
      case "?": steps.append(.one)
      case "[":
        let isNegated = rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let low = rest.popFirst(), low != "]" {
          if rest.first == "-", let high = rest.dropFirst().first, high != "]" {
            ranges.append(low...high)
            rest = rest.dropFirst(2)
          } else {
            ranges.append(low...low)
          }
        }
        steps.append(.set(ranges, isNegated: isNegated))
      default: steps.append(.literal(scalar))
      }
    }
    return matches(scalars, steps)
  }

  /// Whether the whole text matches. After a mismatch the last `any` takes one more scalar.
  private static func matches(_ text: Scalars, _ steps: [Step]) -> Bool {
    var (place, step) = (0, 0)
    var last: (step: Int, place: Int)?
    while place < text.count || step < steps.count {
      if step < steps.count {
        if case .any = steps[step] {
          last = (step, place)
          step += 1
          continue
        }
        if place < text.count, fits(text[place], steps[step]) {
          place += 1
          step += 1
          continue
        }
      }
      guard let again = last, again.place < text.count else { return false }
      last = (again.step, again.place + 1)
      (place, step) = (again.place + 1, again.step + 1)
    }
    return true
  }

  private static func fits(_ scalar: Unicode.Scalar, _ step: Step) -> Bool {
    switch step {
    case .any, .one: true
    case .literal(let literal): scalar == literal
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
    }
  }
}
