#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions that read values inside JSON. They return each value in the form in which a
  /// column of the value's type stores it. The results therefore compare and sort like such
  /// columns.
  ///
  /// | SQL | returns |
  /// |---|---|
  /// | `apus_json(x)` | the JSON, with plain characters in its keys in place of escapes |
  /// | `apus_json_value(x, 'Date')` | the JSON, read as a value of that type |
  /// | `apus_json_each(x, 'Date')` | a table with the `key` and the `value` of each element |
  /// | `apus_json_nodes(x)` | the JSON unchanged; throws if SQLite would cut a text at U+0000 |
  /// | `apus_json_group_object(key, x)` | an object with a member `key: x` for each row |
  ///
  /// If `x` is NULL, `apus_json`, `apus_json_value` and `apus_json_nodes` return NULL.
  /// `apus_json_value` and `apus_json_each` read a `null` in the JSON as NULL.
  static let jsonValues = Registration { registrar in
    let flags: FunctionFlags = [.innocuous, .deterministic]
    try registrar.function("apus_json", argumentCount: 1, flags) { arguments in
      let json = try arguments.databaseValue(at: 0)
      guard json.storageClass == .text else { return json }
      return .text(JSONSpelling.plainKeys(of: try json.read()))
    }
    try registrar.function("apus_json_nodes", argumentCount: 1, flags) { arguments in
      let json = try arguments.databaseValue(at: 0)
      if json.storageClass == .text { try JSONSpelling.checkEnds(in: try json.read()) }
      return json
    }
    try registrar.function("apus_json_value", argumentCount: 2, flags) { arguments in
      let type = try arguments.prepared(at: 1) { try JSONType.named($0) }
      guard let json = try arguments.get(String?.self, at: 0) else { return .null }
      return try type.storedValue(of: json)
    }
    try registrar.tableFunction(
      "apus_json_each", columns: ["key", "value"], arguments: ["json", "type"], isInnocuous: true
    ) { (json: String?, type: String?) -> [[DatabaseValue]] in
      guard let json, let type else { return [] }
      return try JSONType.named(.text(type)).elements(of: json)
    }
    // This function is used in place of SQLite's own `json_group_object`, which cuts a key at
    // U+0000 since version 3.45.
    try registrar.aggregate(
      "apus_json_group_object", argumentCount: 2, flags,
      initial: (members: [String](), first: 0)
    ) { (state: inout (members: [String], first: Int), arguments) in
      guard let key = try arguments.get(String?.self, at: 0) else { return }
      var member = ""
      member.appendJSON(key)
      state.members.append(member + ":" + (try arguments.get(String?.self, at: 1) ?? "null"))
    } inverse: { (state: inout (members: [String], first: Int), arguments) in
      guard try arguments.storageClass(at: 0) != .null else { return }
      state.first += 1
    } result: { state in
      .text("{" + state.members[state.first...].joined(separator: ",") + "}")
    }
  }
}

/// The Swift type of values that are read from JSON. For some types, such as Date, SQLite's own
/// JSON functions do not return the form in which a column stores the value.
///
/// Values are decoded as `JSON<Value>` decodes them, so that a query and the program see the same
/// value.
package final class JSONType: Sendable {
  private let type: any ColumnValue.Type
  private let value: @Sendable (String) throws -> DatabaseValue
  private let elements: @Sendable (String) throws -> [[DatabaseValue]]

  private init<Value: ColumnValue & Codable>(_ type: Value.Type) {
    self.type = type
    value = { json in
      try JSONType.decode(Value.self, json).databaseValue(as: .standard)
    }
    elements = { json in
      guard json.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
        return try JSONType.decode([Value?].self, json).enumerated().map {
          [.integer(Int64($0.offset)), try $0.element.databaseValue(as: .standard)]
        }
      }
      return try JSONType.decode([String: Value?].self, json).sorted { $0.key < $1.key }.map {
        [.text($0.key), try $0.value.databaseValue(as: .standard)]
      }
    }
  }

  /// Returns the type that has the given name, such as `'Date'`. The method `name(of:)` returns the
  /// name of a type.
  fileprivate static func named(_ name: DatabaseValue) throws -> JSONType {
    guard case .text(let text) = name, let type = all[text] else {
      throw ColumnValueError(
        .invalid(expected: "the name of a type in JSON", found: name.description))
    }
    return type
  }

  /// Returns the name, such as `'Date'`, that is passed to the SQL functions to select a type.
  /// Returns nil if the SQL functions cannot read the type.
  package static func name(of type: any ColumnValue.Type) -> String? {
    let name = String(describing: type)
    return all[name]?.type == type ? name : nil
  }

  private static let all: [String: JSONType] = {
    let types: [any (ColumnValue & Codable).Type] = [
      String.self, URL.self, UUID.self, Date.self, Decimal.self, Data.self, [UInt8].self,
      [Float].self, Unique64.self, Float.self, Double.self, Bool.self, Int.self, Int64.self,
      Int32.self, Int16.self, Int8.self, UInt.self, UInt64.self, UInt32.self, UInt16.self,
      UInt8.self,
    ]
    return Dictionary(
      uniqueKeysWithValues: types.map { (String(describing: $0), JSONType($0)) })
  }()

  /// Reads a value from JSON, and returns the form in which a column stores it. `json` is a single
  /// value, such as the result of SQLite's operator `->`.
  fileprivate func storedValue(of json: String) throws -> DatabaseValue {
    if json == "null" { return .null }
    return type == String.self ? try Self.text(json) : try value(json)
  }

  fileprivate func elements(of json: String) throws -> [[DatabaseValue]] { try elements(json) }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ json: String
  ) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(json.utf8))
    } catch {
      throw ColumnValueError.invalid(json, as: type, decoding: error)
    }
  }

  /// Returns the value of a text, a number or a Boolean in JSON. A text without escapes is read
  /// without a decoder, because most values are such texts. Any other value is returned as
  /// `json_extract` returns it.
  private static func text(_ json: String) throws -> DatabaseValue {
    switch json.utf8.first {
    case UInt8(ascii: "\""):
      guard json.utf8.contains(UInt8(ascii: "\\")) else {
        return .text(String(decoding: json.utf8.dropFirst().dropLast(), as: UTF8.self))
      }
      return .text(try decode(String.self, json))
    case UInt8(ascii: "t"): return .integer(1)
    case UInt8(ascii: "f"): return .integer(0)
    default:
      if let integer = Int64(json) { return .integer(integer) }
      return Double(json).map { .real($0) } ?? .text(json)
    }
  }
}

extension String {
  /// Appends a text as a JSON string.
  package mutating func appendJSON(_ text: String) {
    self += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        self += "\\"
        unicodeScalars.append(scalar)
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: unicodeScalars.append(scalar)
      }
    }
    self += "\""
  }
}

extension Registration {
  /// The functions that write stored values as JSON. They are used for values that SQLite's own
  /// JSON functions would round or could not write. `JSONDecoder` reads the result as the same
  /// value.
  ///
  /// | SQL | of | returns |
  /// |---|---|---|
  /// | `apus_json_real(x)` | Double, Float | a number of up to 17 digits; SQLite writes 15 |
  /// | `apus_json_date(x, form)` | Date in that form | the seconds since 2001 |
  /// | `apus_json_base64(x)` | Data | a string in Base64 |
  /// | `apus_json_bytes(x)` | [UInt8] | an array of numbers |
  /// | `apus_json_uuid(x)` | UUID of 16 bytes | a string |
  ///
  /// The result for NULL is NULL.
  static let json = Registration { registrar in
    func add<Value: ColumnValue>(
      _ name: String, _ form: StoredForm, _ text: @escaping @Sendable (Value) throws -> String
    ) throws {
      try registrar.function(name, argumentCount: 1, [.innocuous, .deterministic]) { arguments in
        guard let value = try arguments.get(Value?.self, at: 0, as: form) else { return .null }
        return .text(try text(value))
      }
    }
    try add("apus_json_real", .standard) { (real: Double) in try real.jsonText }
    try add("apus_json_base64", .standard) { (data: Data) in "\"\(data.base64EncodedString())\"" }
    try add("apus_json_bytes", .standard) { (bytes: [UInt8]) in bytes.description }
    try add("apus_json_uuid", .bytes) { (uuid: UUID) in "\"\(uuid.uuidString)\"" }
    try registrar.function(
      "apus_json_date", argumentCount: 2, [.innocuous, .deterministic]
    ) { arguments in
      let form = try arguments.prepared(at: 1) { try DateForm(name: $0) }.form
      guard let date = try arguments.get(Date?.self, at: 0, as: form) else { return .null }
      return .text(try date.timeIntervalSinceReferenceDate.jsonText)
    }
  }
}

/// The stored form of a date, found by its name, such as `'iso8601'`.
private final class DateForm: Sendable {
  let form: StoredForm

  init(name: DatabaseValue) throws {
    guard
      let form = StoredForm.allCases.first(where: { .text(String(describing: $0)) == name }),
      Date.storageClass(as: form) != nil
    else {
      throw ColumnValueError(
        .invalid(expected: "the stored form of a date", found: name.description))
    }
    self.form = form
  }
}

extension Double {
  /// The number as JSON, with as many digits as are needed to read the same number back.
  fileprivate var jsonText: String {
    get throws {
      guard isFinite else {
        throw ColumnValueError(.invalid(expected: "a number that JSON can hold", found: "\(self)"))
      }
      return description
    }
  }
}
