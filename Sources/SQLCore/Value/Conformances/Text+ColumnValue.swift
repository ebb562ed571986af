#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension String: OrderedColumnValue {
  /// TEXT.
  @inlinable
  public static var storageClass: StorageClass { .text }

  /// Reads a TEXT, which may contain U+0000. Throws `ColumnValueError` for anything else, and for a
  /// text that is not UTF-8.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = try cell.text()
  }

  /// Returns the text.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text(self) }

  /// Returns whether both texts have the same UTF-8 bytes. Swift's `==` is not enough: it considers
  /// an accented letter equal to the pair of letter and combining accent.
  @inlinable
  public static func isStoredAlike(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}

extension URL: ColumnValue {
  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Reads a TEXT. Throws `ColumnValueError` for anything else, and for a text that is not a URL.
  /// Also throws if the URL that is made from the text has another spelling than the text.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else {
      throw ColumnValueError.invalid(text, as: URL.self)
    }
    self = url
  }

  /// Returns the text of the absolute URL. Throws `ColumnValueError` if the text could not be read
  /// back as the same URL.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    let text = absoluteString
    guard URL(string: text)?.absoluteString == text else {
      throw ColumnValueError.unstorable(text, "it would not be read back as the same URL")
    }
    return .text(text)
  }

  /// Returns the absolute URL, because the base of a relative URL is not stored.
  public static func canonical(_ value: URL) -> URL { value.absoluteURL }

  /// Returns whether the absolute strings are the same.
  public static func isStoredAlike(_ left: URL, _ right: URL) -> Bool {
    left.absoluteString.utf8.elementsEqual(right.absoluteString.utf8)
  }
}

/// Queries compare and order decimal numbers by the collation `decimal`, and calculate with them by
/// exact functions. Every connection has the collation and the functions.
///
/// A literal such as `0.1` is a Double before it becomes a Decimal; `Decimal(string: "0.1")` is
/// exact. If a result has more than 38 digits, reading it as a Decimal may throw
/// `ColumnValueError`.
/// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
extension Decimal: AdditiveColumnValue {
  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// `decimal`, which orders by number rather than by text.
  public static var collationName: String? { "decimal" }

  /// The exact functions, such as `decimal_add`.
  public static var arithmetic: ArithmeticFunctions? { .decimal }

  /// Reads the text of a decimal number without an exponent. Throws `ColumnValueError` for anything
  /// else, and for a number with more digits than a Decimal holds.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    guard let value = Decimal(string: text), !value.isNaN,
      value.description == text || value.description == text.canonicalDecimal
    else { throw ColumnValueError.invalid(text, as: Decimal.self) }
    self = value
  }

  /// Returns the canonical text, without an exponent and without redundant zeros. Throws
  /// `ColumnValueError` for NaN.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard !isNaN else { throw ColumnValueError.unstorable(self, "NaN is not a number") }
    return .text(description)
  }
}

extension String {
  /// The number as Apus writes it, without a plus sign and without redundant zeros, such as `1.5`
  /// for `+01.50`. Nil if the text has anything other than digits, an optional sign and an optional
  /// point.
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
