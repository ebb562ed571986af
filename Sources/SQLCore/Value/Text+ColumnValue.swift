#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension String: OrderedColumnValue {
  /// TEXT.
  @inlinable
  public static var storageClass: StorageClass { .text }

  /// Reads a TEXT, U+0000 kept; text that is no UTF-8 throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = try cell.text()
  }

  /// The text.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text(self) }

  /// The same bytes: Swift's `==` takes a letter with an accent for the pair of letter and accent.
  @inlinable
  public static func isStoredAlike(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}

extension URL: ColumnValue {
  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Reads a TEXT; one that is no URL throws `ColumnValueError`.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else {
      throw ColumnValueError.invalid(text, as: URL.self)
    }
    self = url
  }

  /// The absolute string; one that would not read back throws `ColumnValueError`.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    let text = absoluteString
    guard URL(string: text)?.absoluteString == text else {
      throw ColumnValueError.unstorable(text, "it does not read back as the same URL")
    }
    return .text(text)
  }

  /// A URL relative to another becomes absolute: its base is not stored.
  public static func canonical(_ value: URL) -> URL { value.absoluteURL }

  /// The same text.
  public static func isStoredAlike(_ left: URL, _ right: URL) -> Bool {
    left.absoluteString.utf8.elementsEqual(right.absoluteString.utf8)
  }
}

/// Queries compare and order decimal numbers by the collation `decimal`, and calculate with functions
/// that are exact; every connection has both.
///
/// A literal such as `0.1` is a Double before it is a Decimal; a string is exact:
/// `Decimal(string: "0.1")`. A result of more than 38 digits does not read back as a Decimal.
/// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
extension Decimal: AdditiveColumnValue {
  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// `decimal`: the order of the numbers, not of their text.
  public static var collationName: String? { "decimal" }

  /// `decimal_add` and so on.
  public static var arithmetic: ArithmeticFunctions? { .decimal }

  /// Reads the text of a decimal number without an exponent; anything else, and a number of more
  /// digits than a Decimal holds, throws `ColumnValueError`.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    guard let value = Decimal(string: text), !value.isNaN,
      value.description == text || value.description == text.canonicalDecimal
    else { throw ColumnValueError.invalid(text, as: Decimal.self) }
    self = value
  }

  /// The canonical text: no exponent, no zeros at its ends; NaN throws `ColumnValueError`.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard !isNaN else { throw ColumnValueError.unstorable(self, "NaN is no number") }
    return .text(description)
  }
}

extension String {
  /// The number as Apus writes it, without a plus and without zeros at its ends, such as `1.5` for
  /// `+01.50`; nil for text that is not digits with a sign and a point at most.
  fileprivate var canonicalDecimal: String? {
    var digits = utf8[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), digits.count >= parts.count,
      parts.allSatisfy({ $0.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    let zero = UInt8(ascii: "0")
    let whole = String(parts[0].drop { $0 == zero }) ?? ""
    var fraction = parts.count == 2 ? parts[1] : ""[...].utf8
    while fraction.last == zero { fraction = fraction.dropLast() }
    let text =
      (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + (String(fraction) ?? ""))
    return isNegative && text != "0" ? "-" + text : text
  }
}
