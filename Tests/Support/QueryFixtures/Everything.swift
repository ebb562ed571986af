import Foundation
import QueryDSL
import SQLCore
import TestRun

enum Temper: String, ColumnValue, CaseIterable { case calm, wild, odd = "o'dd" }
enum Size: Int16, ColumnValue, CaseIterable { case small = -1, large = 300 }

/// A custom type that is stored as text.
struct Color: ColumnValue, Hashable {
  var red: UInt8
  var green: UInt8

  static var storageClass: StorageClass { .text }

  init(red: UInt8, green: UInt8) {
    self.red = red
    self.green = green
  }

  init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    let parts = text.split(separator: "/").compactMap { UInt8($0) }
    guard parts.count == 2 else { throw ColumnValueError.invalid(text, as: Color.self) }
    self.init(red: parts[0], green: parts[1])
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text("\(red)/\(green)") }
}

/// A custom type of size zero.
struct Unit: ColumnValue, Hashable {
  static var storageClass: StorageClass { .integer }
  init() {}
  init(_ cell: borrowing Cell) throws { _ = try cell.integer() }
  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(0) }
}

struct Place: Codable, Hashable {
  var name: String
  var visitors: [String: Int]
}

/// A model with a column of every type.
struct Everything: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var int8: Int8
  @Column var int16: Int16
  @Column var int32: Int32
  @Column var int64: Int64
  @Column var uint: UInt
  @Column var uint8: UInt8
  @Column var uint16: UInt16
  @Column var uint32: UInt32
  @Column var uint64: UInt64
  @Column var bool: Bool
  @Column var double: Double
  @Column var float: Float
  @Column var string: String
  @Column var data: Data
  @Column var bytes: [UInt8]
  @Column var uuid: UUID
  @Column var uuidBytes: UUID
  @Column var url: URL
  @Column var decimal: Decimal
  @Column var date: Date
  @Column var iso: Date
  @Column var unique: Unique64
  @Column var mood: Temper
  @Column var size: Size
  @Column var color: Color
  @Column var unit: Unit
  @Column var place: JSON<Place>
  @Column var tags: JSON<[String]>
  @Ignored var preview: [Int]?

  static var schema: Schema<Everything> {
    Stored(\.$uuidBytes, as: .bytes)
    Stored(\.$iso, as: .iso8601)
  }
}

/// A model with an optional column of every type.
struct Anything: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var int: Int?
  @Column var int8: Int8?
  @Column var int64: Int64?
  @Column var uint64: UInt64?
  @Column var bool: Bool?
  @Column var double: Double?
  @Column var float: Float?
  @Column var string: String?
  @Column var data: Data?
  @Column var bytes: [UInt8]?
  @Column var uuid: UUID?
  @Column var uuidBytes: UUID?
  @Column var url: URL?
  @Column var decimal: Decimal?
  @Column var date: Date?
  @Column var iso: Date?
  @Column var unique: Unique64?
  @Column var mood: Temper?
  @Column var size: Size?
  @Column var color: Color?
  @Column var unit: Unit?
  @Column var place: JSON<Place>?
  @Column var tags: JSON<[String]>?
  @Ignored var preview: String?

  static var schema: Schema<Anything> {
    Stored(\.$uuidBytes, as: .bytes)
    Stored(\.$iso, as: .iso8601)
  }
}

extension Everything {
  /// A model with a random value of each type, sometimes an extreme one.
  static func random(id: Int, using random: inout SeededGenerator) -> Everything {
    Everything(
      id: id, int8: .any(&random), int16: .any(&random), int32: .any(&random),
      int64: .any(&random), uint: UInt(UInt64.any(&random) >> 1), uint8: .any(&random),
      uint16: .any(&random), uint32: .any(&random), uint64: UInt64.any(&random) >> 1,
      bool: .random(using: &random), double: .any(&random), float: Float(Int32.any(&random)) / 8,
      string: .any(&random), data: Data([UInt8].any(&random)), bytes: .any(&random),
      uuid: .any(&random), uuidBytes: .any(&random), url: .any(&random),
      decimal: .any(&random), date: .any(&random), iso: .any(&random, years: 0...9999),
      unique: Unique64(rawValue: Int64.any(&random) & .max),
      mood: Temper.allCases.randomElement(using: &random) ?? .calm,
      size: Size.allCases.randomElement(using: &random) ?? .small,
      color: Color(red: .any(&random), green: .any(&random)), unit: Unit(),
      place: JSON(Place(name: .any(&random), visitors: [.any(&random): Int(Int32.any(&random))])),
      tags: JSON([.any(&random), .any(&random)]), preview: [1])
  }
}

extension Anything {
  /// Takes each value of another model, or nil at random.
  init(_ full: Everything, using random: inout SeededGenerator) {
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    self.init(
      id: nil, int: maybe(Int(full.int64)), int8: maybe(full.int8), int64: maybe(full.int64),
      uint64: maybe(full.uint64), bool: maybe(full.bool), double: maybe(full.double),
      float: maybe(full.float), string: maybe(full.string), data: maybe(full.data),
      bytes: maybe(full.bytes), uuid: maybe(full.uuid), uuidBytes: maybe(full.uuidBytes),
      url: maybe(full.url), decimal: maybe(full.decimal), date: maybe(full.date),
      iso: maybe(full.iso), unique: maybe(full.unique), mood: maybe(full.mood),
      size: maybe(full.size), color: maybe(full.color), unit: maybe(full.unit),
      place: maybe(full.place), tags: maybe(full.tags), preview: "unseen")
  }
}

extension FixedWidthInteger {
  static func any(_ random: inout SeededGenerator) -> Self {
    switch UInt8.random(in: 0..<8, using: &random) {
    case 0: .min
    case 1: .max
    case 2: 0
    default: .random(in: .min ... .max, using: &random)
    }
  }
}

extension Double {
  static func any(_ random: inout SeededGenerator) -> Double {
    let extremes: [Double] = [
      0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .leastNormalMagnitude, 0.1, 9_007_199_254_740_992, -1e300,
    ]
    guard Bool.random(using: &random) else { return extremes.randomElement(using: &random) ?? 0 }
    let drawn = Double(bitPattern: .any(&random))
    return drawn.isNaN ? 1 : drawn
  }
}

extension String {
  static func any(_ random: inout SeededGenerator) -> String {
    let pieces = [
      "", "a", "\u{0}", "'", "\"", "é", "e\u{301}", "🐦‍⬛", "\u{FEFF}", "\n", "%_", "\u{10FFFF}",
      "a longer piece that does not fit the small form of a string",
    ]
    return (0..<Int.random(in: 0...4, using: &random))
      .map { _ in Specification.storable(pieces.randomElement(using: &random) ?? "") }.joined()
  }
}

extension [UInt8] {
  static func any(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in .any(&random) }
  }
}

extension UUID {
  static func any(_ random: inout SeededGenerator) -> UUID {
    let bytes = (0..<16).map { _ in UInt8.any(&random) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension URL {
  static func any(_ random: inout SeededGenerator) -> URL {
    let texts = [
      "https://apus.dev/a?b=c#d", "file:///tmp/x", "mailto:a@b.c", "https://x.y/%C3%A9", "a/b",
    ]
    return URL(string: texts.randomElement(using: &random) ?? "a:b") ?? URL(filePath: "/")
  }
}

extension Decimal {
  static func any(_ random: inout SeededGenerator) -> Decimal {
    let number = Decimal(Int64.any(&random))
    return Bool.random(using: &random) ? number / 1_000 : number
  }
}

extension Date {
  static func any(
    _ random: inout SeededGenerator, years: ClosedRange<Int> = -30_000...30_000
  ) -> Date {
    let seconds = Double(Int.random(in: years, using: &random) - 1970) * 31_556_952
    return Date(
      timeIntervalSince1970: seconds + Double(Int.random(in: 0..<1_000_000, using: &random)) / 1e6)
  }
}
