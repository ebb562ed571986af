import QueryDSL
import SQLCore

/// A model of the differential test: its columns by their types, and its values.
protocol SampleModel: Model, Equatable {
  /// In the order of the model's columns.
  var values: [DatabaseValue] { get }
  static func make(id: Int, _ random: inout SampleValues) -> Self
  static func columns(of columns: Columns<Self>, at table: Int) -> SampleColumns
}

/// A column in a query, and where its value is in the reference's rows: table, column.
typealias SampleColumn<Value: ColumnValue> = (
  expression: SQLExpression<Value>, table: Int, column: Int
)

/// The columns of a table, by their types.
struct SampleColumns {
  var integers: [SampleColumn<Int>] = []
  var nullableIntegers: [SampleColumn<Int?>] = []
  var texts: [SampleColumn<String>] = []
  var nullableTexts: [SampleColumn<String?>] = []
  var reals: [SampleColumn<Double>] = []
  var nullableReals: [SampleColumn<Double?>] = []

  static func + (left: SampleColumns, right: SampleColumns) -> SampleColumns {
    SampleColumns(
      integers: left.integers + right.integers,
      nullableIntegers: left.nullableIntegers + right.nullableIntegers,
      texts: left.texts + right.texts, nullableTexts: left.nullableTexts + right.nullableTexts,
      reals: left.reals + right.reals, nullableReals: left.nullableReals + right.nullableReals)
  }

  /// The same as a join that may find no row sees them.
  var optional: SampleColumns {
    func optional<Value>(_ columns: [SampleColumn<Value>]) -> [SampleColumn<Value?>] {
      columns.map { ($0.expression.optional, $0.table, $0.column) }
    }
    return SampleColumns(
      nullableIntegers: nullableIntegers + optional(integers),
      nullableTexts: nullableTexts + optional(texts),
      nullableReals: nullableReals + optional(reals))
  }
}

/// Random values: NULLs, texts with U+0000, many ties, extremes.
struct SampleValues {
  var random: SeededGenerator

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }

  mutating func integer() -> Int {
    switch below(12) {
    case 0: .max
    case 1: .min
    case 2: 1 << 53 + 1
    default: below(5) - 1
    }
  }

  mutating func real() -> Double {
    switch below(12) {
    case 0: 1e300
    case 1: -1e300
    case 2: 9_007_199_254_740_992
    default: Double(below(9) - 4) / 2
    }
  }

  mutating func text() -> String {
    let texts = ["", "a", "A", "b", "ab", "a\0b", "\0", "ä", "a%", "_", "'\"", "🐦", "aB"]
    return texts[below(texts.count)]
  }

  mutating func optional<Value>(_ value: (inout SampleValues) -> Value) -> Value? {
    below(3) == 0 ? nil : value(&self)
  }
}

struct Alpha: SampleModel {
  @PrimaryKey var id: Int
  @Column var n: Int
  @Column var o: Int?
  @Column var t: String
  @Column var u: String?
  @Column var r: Double
  @Column var s: Double?

  var values: [DatabaseValue] {
    [.integer(Int64(id)), value(n), value(o), value(t), value(u), value(r), value(s)]
  }

  static func make(id: Int, _ random: inout SampleValues) -> Alpha {
    Alpha(
      id: id, n: random.integer(), o: random.optional { $0.integer() }, t: random.text(),
      u: random.optional { $0.text() }, r: random.real(), s: random.optional { $0.real() })
  }

  static func columns(of alpha: Columns<Alpha>, at table: Int) -> SampleColumns {
    SampleColumns(
      integers: [(alpha.$id, table, 0), (alpha.$n, table, 1)],
      nullableIntegers: [(alpha.$o, table, 2)], texts: [(alpha.$t, table, 3)],
      nullableTexts: [(alpha.$u, table, 4)], reals: [(alpha.$r, table, 5)],
      nullableReals: [(alpha.$s, table, 6)])
  }
}

struct Beta: SampleModel {
  @Column var text: String?
  @Column var alphaID: Int?
  @PrimaryKey var id: Int
  @Column var small: Int
  @Column var name: String
  @Column var other: Int?

  var values: [DatabaseValue] {
    [value(text), value(alphaID), .integer(Int64(id)), value(small), value(name), value(other)]
  }

  static func make(id: Int, _ random: inout SampleValues) -> Beta {
    Beta(
      text: random.optional { $0.text() }, alphaID: random.optional { $0.below(8) }, id: id,
      small: random.below(4) - 1, name: random.text(), other: random.optional { $0.below(3) })
  }

  static func columns(of beta: Columns<Beta>, at table: Int) -> SampleColumns {
    SampleColumns(
      integers: [(beta.$id, table, 2), (beta.$small, table, 3)],
      nullableIntegers: [(beta.$alphaID, table, 1), (beta.$other, table, 5)],
      texts: [(beta.$name, table, 4)], nullableTexts: [(beta.$text, table, 0)])
  }
}

func value<Value: ColumnValue>(_ value: Value) -> DatabaseValue {
  (try? value.databaseValue(as: .standard)) ?? .null
}
