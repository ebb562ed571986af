import Foundation
import QueryDSL
import SQLCore
import TestRun

enum Mood: String, ColumnValue, Codable, CaseIterable { case calm, wild = "w\"d" }
enum Rank: Int8, ColumnValue, Codable, CaseIterable { case low = -1, high = 100 }

struct Shade: ColumnValue, Codable, Hashable {
  var red: UInt8
  var isDark: Bool

  static var storageClass: StorageClass { .integer }

  init(red: UInt8, isDark: Bool) {
    self.red = red
    self.isDark = isDark
  }

  init(_ cell: borrowing Cell) throws {
    let number = try cell.integer()
    self.init(red: UInt8(truncatingIfNeeded: number), isDark: number > 255)
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    .integer(Int64(red) + (isDark ? 256 : 0))
  }
}

struct Sticker: Codable, Hashable {
  var printedAt: Date
  var homePage: URL?
  var weights: [String: Decimal]
}

/// A model with a column of each type that an encoder may treat specially.
struct Parcel: Model, Codable, Equatable {
  @PrimaryKey var id: Unique64
  @Column var number: Int
  @Column var smallNumber: Int8
  @Column var bigNumber: UInt64
  @Column var isOpen: Bool
  @Column var weight: Double
  @Column var floatWeight: Float
  @Column var title: String
  @Column var content: Data
  @Column var bytes: [UInt8]
  @Column var tracking: UUID
  @Column var homePage: URL
  @Column var price: Decimal
  @Column var sentAt: Date
  @Column var mood: Mood
  @Column var level: Rank
  @Column var shade: Shade
  @Column var label: JSON<Sticker>
  @Column var links: JSON<[URL]>
  @Column var stopTimes: JSON<[String: Date]>
  @Column var packedAt: JSON<Date>
  @Column var maybeNumber: Int?
  @Column var maybeWeight: Double?
  @Column var maybeTitle: String?
  @Column var maybeContent: Data?
  @Column var maybePage: URL?
  @Column var maybePrice: Decimal?
  @Column var maybeSentAt: Date?
  @Column var maybeMood: Mood?
  @Column var maybeOwner: Unique64?
  @Column var maybeLabel: JSON<Sticker>?
  @Column var maybeInside: JSON<Date?>
  @Ignored var preview: String?
}

/// The same struct without the library's property wrappers.
struct PlainParcel: Codable, Equatable {
  var id: Unique64
  var number: Int
  var smallNumber: Int8
  var bigNumber: UInt64
  var isOpen: Bool
  var weight: Double
  var floatWeight: Float
  var title: String
  var content: Data
  var bytes: [UInt8]
  var tracking: UUID
  var homePage: URL
  var price: Decimal
  var sentAt: Date
  var mood: Mood
  var level: Rank
  var shade: Shade
  var label: Sticker
  var links: [URL]
  var stopTimes: [String: Date]
  var packedAt: Date
  var maybeNumber: Int?
  var maybeWeight: Double?
  var maybeTitle: String?
  var maybeContent: Data?
  var maybePage: URL?
  var maybePrice: Decimal?
  var maybeSentAt: Date?
  var maybeMood: Mood?
  var maybeOwner: Unique64?
  var maybeLabel: Sticker?
  var maybeInside: Date?
}

extension Parcel {
  init(_ plain: PlainParcel) {
    self.init(
      id: plain.id, number: plain.number, smallNumber: plain.smallNumber,
      bigNumber: plain.bigNumber, isOpen: plain.isOpen, weight: plain.weight,
      floatWeight: plain.floatWeight, title: plain.title, content: plain.content,
      bytes: plain.bytes, tracking: plain.tracking, homePage: plain.homePage, price: plain.price,
      sentAt: plain.sentAt, mood: plain.mood, level: plain.level, shade: plain.shade,
      label: JSON(plain.label), links: JSON(plain.links), stopTimes: JSON(plain.stopTimes),
      packedAt: JSON(plain.packedAt), maybeNumber: plain.maybeNumber,
      maybeWeight: plain.maybeWeight, maybeTitle: plain.maybeTitle,
      maybeContent: plain.maybeContent, maybePage: plain.maybePage,
      maybePrice: plain.maybePrice, maybeSentAt: plain.maybeSentAt, maybeMood: plain.maybeMood,
      maybeOwner: plain.maybeOwner,
      maybeLabel: plain.maybeLabel.map { JSON($0) }, maybeInside: JSON(plain.maybeInside))
  }

  var plain: PlainParcel {
    PlainParcel(
      id: id, number: number, smallNumber: smallNumber, bigNumber: bigNumber,
      isOpen: isOpen, weight: weight, floatWeight: floatWeight, title: title, content: content,
      bytes: bytes, tracking: tracking, homePage: homePage, price: price, sentAt: sentAt,
      mood: mood, level: level, shade: shade, label: label.value, links: links.value,
      stopTimes: stopTimes.value, packedAt: packedAt.value, maybeNumber: maybeNumber,
      maybeWeight: maybeWeight, maybeTitle: maybeTitle, maybeContent: maybeContent,
      maybePage: maybePage, maybePrice: maybePrice, maybeSentAt: maybeSentAt,
      maybeMood: maybeMood, maybeOwner: maybeOwner, maybeLabel: maybeLabel?.value,
      maybeInside: maybeInside.value)
  }

  /// A parcel with a random value of each type, sometimes an extreme one.
  static func random(using random: inout SeededGenerator) -> Parcel {
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    func date() -> Date { .any(&random, years: 2...9_998) }
    func label() -> Sticker {
      Sticker(
        printedAt: date(), homePage: maybe(.any(&random)), weights: ["aKey": .any(&random)])
    }
    var parcel = Parcel(
      PlainParcel(
        id: Unique64(rawValue: .any(&random)), number: .any(&random), smallNumber: .any(&random),
        bigNumber: .any(&random), isOpen: .random(using: &random), weight: .any(&random),
        floatWeight: Bool.random(using: &random) ? .infinity : Float(Int16.any(&random)) / 8,
        title: .any(&random), content: Data([UInt8].any(&random)), bytes: .any(&random),
        tracking: .any(&random), homePage: .any(&random), price: .any(&random), sentAt: date(),
        mood: Mood.allCases.randomElement(using: &random) ?? .calm,
        level: Rank.allCases.randomElement(using: &random) ?? .low,
        shade: Shade(red: .any(&random), isDark: .random(using: &random)), label: label(),
        links: [.any(&random), .any(&random)], stopTimes: ["firstStop": date()],
        packedAt: date(), maybeNumber: maybe(.any(&random)), maybeWeight: maybe(.any(&random)),
        maybeTitle: maybe(.any(&random)), maybeContent: maybe(Data([UInt8].any(&random))),
        maybePage: maybe(.any(&random)), maybePrice: maybe(.any(&random)),
        maybeSentAt: maybe(date()), maybeMood: maybe(.wild),
        maybeOwner: maybe(Unique64(rawValue: .any(&random))),
        maybeLabel: maybe(label()), maybeInside: maybe(date())))
    parcel.preview = "unseen"
    return parcel
  }
}
