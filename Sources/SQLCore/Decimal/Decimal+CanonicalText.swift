#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Decimal {
  /// Returns the text as which a decimal number is stored: without an exponent, a plus sign or
  /// redundant zeros. Returns nil if the text is not a decimal number.
  package static func canonicalText(of text: String) -> String? {
    DecimalNumber(text.utf8)?.text
  }
}
