import Apus
import Foundation

/// A stored form of columns, as a type.
protocol TrialForm: Sendable {
  static var form: StoredForm { get }
}

enum Forms {
  enum Standard: TrialForm { static let form = StoredForm.standard }
  enum Bytes: TrialForm { static let form = StoredForm.bytes }
  enum UnixSeconds: TrialForm { static let form = StoredForm.unixSeconds }
  enum ReferenceSeconds: TrialForm { static let form = StoredForm.referenceSeconds }
  enum JulianDay: TrialForm { static let form = StoredForm.julianDay }
  enum ISO8601: TrialForm { static let form = StoredForm.iso8601 }
}

/// A model with a column of some type, in some form.
struct ForeignRow<Value: ColumnValue, Form: TrialForm>: Model {
  static var tableName: String { "Foreign Row" }
  @PrimaryKey var id: Int
  @Column var value: Value
  static var schema: Schema<Self> { Stored(\.$value, as: Form.form) }
}

/// The same model with a renamed column, whose table has to be rebuilt.
struct RenamedRow<Value: ColumnValue, Form: TrialForm>: Model {
  static var tableName: String { "Foreign Row" }
  @PrimaryKey var id: Int
  @Column var renamed: Value
  @Column var other: Int
  static var schema: Schema<Self> {
    Stored(\.$renamed, as: Form.form)
    Renamed(\.$renamed, from: "value")
  }
}

/// A Swift type of columns, and how the meaning of its values is read.
struct ForeignType: Sendable {
  let name: String
  let kind: MeaningKind
  let isOptional: Bool
  let model: any Model.Type
  let renamedModel: any Model.Type
  /// Reads the meaning of a row's value, by the row's id.
  let read: @Sendable (Database, Int) throws -> Meaning
  let readRenamed: @Sendable (Database, Int) throws -> Meaning
  private let form: StoredForm

  private init<Value: ColumnValue, Form: TrialForm>(
    _ type: Value.Type, _ form: Form.Type, _ kind: MeaningKind,
    _ meaning: @escaping @Sendable (Value) throws -> Meaning
  ) {
    name = "\(type)" + (Form.form == .standard ? "" : " as \(Form.form)")
    self.kind = kind
    isOptional = type.isOptional
    self.form = form.form
    model = ForeignRow<Value, Form>.self
    renamedModel = RenamedRow<Value, Form>.self
    read = { db, id in
      guard let row = try db.find(ForeignRow<Value, Form>.self, id) else {
        throw Violation("row \(id) is missing")
      }
      return try meaning(row.value)
    }
    readRenamed = { db, id in
      guard let row = try db.find(RenamedRow<Value, Form>.self, id) else {
        throw Violation("row \(id) is missing")
      }
      return try meaning(row.renamed)
    }
  }

  /// Returns whether a value still means the same after it was read.
  func keeps(_ value: PlainValue, as meaning: Meaning) -> Bool {
    // SQLite and Swift write numbers with many digits differently.
    if case .text(let bytes) = meaning, case .real(let bits) = value {
      return Double(String(decoding: bytes, as: UTF8.self)) == Double(bitPattern: bits)
    }
    return meanings(of: value).contains { isSame($0, meaning) }
  }

  /// Returns all meanings that a stored value can have.
  func meanings(of value: PlainValue) -> Set<Meaning> {
    let declared: Meaning? =
      switch form {
      case .unixSeconds: Meanings.instant(of: value, unit: 1, from: 0)
      case .referenceSeconds: Meanings.instant(of: value, unit: 1, from: 978_307_200)
      case .julianDay:
        Meanings.instant(of: value, unit: 86_400, from: -2_440_587.5 * 86_400)
      default: nil
      }
    // A form that the schema declares also determines what a number means.
    return Meanings(of: value, as: kind).all.union(declared.map { [$0] } ?? [])
  }

  /// Returns whether two meanings are equal within the precision of the column's form.
  private func isSame(_ meaning: Meaning, _ other: Meaning) -> Bool {
    guard case .instant(let first) = meaning, case .instant(let second) = other else {
      return meaning == other
    }
    // A Double of seconds, and so a `Date`, has a precision of a quarter of a microsecond in this
    // century, and less in distant ones; a Julian day has milliseconds.
    let ofDouble = Int64(first.magnitude / 4_000_000_000_000_000)
    let unit: Int64 =
      switch form {
      case .julianDay: 1_000
      case .unixSeconds, .referenceSeconds: 1 + ofDouble
      default: ofDouble
      }
    return first.subtractingReportingOverflow(second).partialValue.magnitude <= unit
  }

  /// Returns a type and its optional.
  private static func both<Value: ColumnValue, Form: TrialForm>(
    _ type: Value.Type, _ form: Form.Type, _ kind: MeaningKind,
    _ meaning: @escaping @Sendable (Value) throws -> Meaning
  ) -> [ForeignType] {
    [
      ForeignType(type, form, kind, meaning),
      ForeignType(Value?.self, form, kind) { try $0.map(meaning) ?? .null },
    ]
  }

  private static func both<Value: ColumnValue>(
    _ type: Value.Type, _ kind: MeaningKind,
    _ meaning: @escaping @Sendable (Value) throws -> Meaning
  ) -> [ForeignType] {
    both(type, Forms.Standard.self, kind, meaning)
  }

  private static func integers<Value: ColumnValue & FixedWidthInteger>(
    _ type: Value.Type
  ) -> [ForeignType] {
    both(type, .number) { .number(Decimal(string: "\($0)") ?? 0) }
  }

  private static func dates<Form: TrialForm>(_ form: Form.Type) -> [ForeignType] {
    both(Date.self, form, .instant) { date in
      // Whole seconds and the rest are computed apart: a Double does not hold the microseconds of a
      // distant year.
      let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
      let rest = ((date.timeIntervalSinceReferenceDate - seconds) * 1_000_000).rounded()
      let micros = (Int128(seconds) + 978_307_200) * 1_000_000 + Int128(rest)
      // The date nearest to the first or last instant may lie some milliseconds beyond it.
      let nearest = Int64(clamping: micros)
      return (micros - Int128(nearest)).magnitude > 4_000
        ? .real(seconds.bitPattern) : .instant(nearest)
    }
  }

  enum Temper: String, ColumnValue { case small, calm }
  enum Level: Int, ColumnValue { case low = 1, high }

  struct Color: ColumnValue, Equatable {
    var rgb: UInt32
    static var storageClass: StorageClass { .integer }
    init(_ cell: borrowing Cell) throws { rgb = try UInt32(cell) }
    func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(Int64(rgb)) }
  }

  static let all: [ForeignType] = numbers + texts + dates

  private static let numbers: [ForeignType] = {
    var types = integers(Int.self) + integers(Int8.self) + integers(Int16.self)
    types += integers(Int32.self) + integers(Int64.self) + integers(UInt.self)
    types += integers(UInt8.self) + integers(UInt16.self) + integers(UInt32.self)
    types += integers(UInt64.self)
    types += both(Bool.self, .bool) { .bool($0) }
    types += both(Unique64.self, .number) { .number(Decimal($0.rawValue)) }
    types += both(Level.self, .number) { .number(Decimal($0.rawValue)) }
    types += both(Color.self, .number) { .number(Decimal($0.rgb)) }
    types += both(Double.self, .number) { .of($0) }
    types += both(Float.self, .float) { .of(Double($0)) }
    types += both(Decimal.self, .number) { .number($0) }
    return types
  }()

  private static let texts: [ForeignType] = {
    var types = both(String.self, .text) { .text(Array($0.utf8)) }
    types += both(Temper.self, .text) { .text(Array($0.rawValue.utf8)) }
    types += both(URL.self, .text) { .text(Array($0.absoluteString.utf8)) }
    types += both(Data.self, .bytes) { .bytes(Array($0)) }
    types += both([UInt8].self, .bytes) { .bytes($0) }
    types += both(UUID.self, .uuid) { Meaning.uuid(of: $0) }
    types += both(UUID.self, Forms.Bytes.self, .uuid) { Meaning.uuid(of: $0) }
    types += both(JSON<[String]>.self, .json) { try Meaning.encoded($0.value) }
    types += both(JSON<[String: Int]>.self, .json) { try Meaning.encoded($0.value) }
    return types
  }()

  private static let dates: [ForeignType] = {
    var types = dates(Forms.Standard.self) + dates(Forms.UnixSeconds.self)
    types += dates(Forms.ReferenceSeconds.self) + dates(Forms.JulianDay.self)
    types += dates(Forms.ISO8601.self)
    return types
  }()
}

extension Meaning {
  fileprivate static func uuid(of uuid: UUID) -> Meaning {
    .uuid(withUnsafeBytes(of: uuid.uuid) { Array($0) })
  }

  fileprivate static func encoded(_ value: some Encodable) throws -> Meaning {
    let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    guard let meaning = Meaning.json(of: text) else { throw Violation("\(text) is not JSON") }
    return meaning
  }
}
