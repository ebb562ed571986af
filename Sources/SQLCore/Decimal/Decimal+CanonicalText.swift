#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Decimal {
  /// Returns the form in which a decimal number is stored: without exponent, sign of plus and needless
  /// zeros; nil for a text that is no decimal number.
  package static func canonicalText(of text: String) -> String? {
    DecimalNumber(text.utf8)?.text
  }
}
