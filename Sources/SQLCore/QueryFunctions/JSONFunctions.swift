#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions that write as JSON the stored values that SQLite's own JSON functions would
  /// round, or could not write at all. `JSONDecoder` reads the result as the same value.
  ///
  /// | SQL | of | returns |
  /// |---|---|---|
  /// | `apus_json_real(x)` | Double, Float | a number of up to 17 digits; SQLite writes 15 |
  /// | `apus_json_date(x, form)` | Date in that form | the seconds since 2001 |
  /// | `apus_json_base64(x)` | Data | a string in Base64 |
  /// | `apus_json_bytes(x)` | [UInt8] | an array of numbers |
  /// | `apus_json_uuid(x)` | UUID of 16 bytes | a string |
  ///
  /// NULL gives NULL.
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

/// The stored form of a date, found by its name.
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
  /// The number as JSON, with as many digits as reading it back needs.
  fileprivate var jsonText: String {
    get throws {
      guard isFinite else {
        throw ColumnValueError(.invalid(expected: "a number that JSON can hold", found: "\(self)"))
      }
      return description
    }
  }
}
