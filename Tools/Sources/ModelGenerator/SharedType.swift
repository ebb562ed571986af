/// A type that generated code declares for the values of some columns.
struct SharedType {
  let name: String
  let text: String

  static let all = [anyValue, dateText]

  private static let anyValue = SharedType(
    name: "AnyValue",
    text: """
      /// A value of any storage class.
      struct AnyValue: ColumnValue {
        var value: DatabaseValue

        static var storageClass: StorageClass { .blob }

        init(_ cell: borrowing Cell) throws {
          value = try cell.databaseValue()
        }

        func databaseValue(as form: StoredForm) throws -> DatabaseValue { value }
      }
      """)

  /// A type for dates and times that stay texts. A column of NUMERIC affinity turns a text that
  /// looks like a number into a number. With `storageClass(as:)`, the type declares that it writes
  /// no such text.
  private static let dateText = SharedType(
    name: "DateText",
    text: """
      /// A date or time in the words of the file, such as `2026-11-21 10:20:30.123456`.
      struct DateText: ColumnValue, Hashable {
        let text: String

        static var storageClass: StorageClass { .text }
        static func storageClass(as form: StoredForm) -> StorageClass? {
          form == .standard || form == .iso8601 ? .text : nil
        }

        /// Returns nil for a text that looks like a number, which the column would not keep.
        init?(_ text: String) {
          guard Double(text.filter { !$0.isWhitespace }) == nil else { return nil }
          self.text = text
        }

        init(_ cell: borrowing Cell) throws { text = try cell.text() }

        func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text(text) }
      }
      """)
}
