/// What becomes of a day that a month does not have, such as February 31st.
///
/// The names are those of SQLite's modifiers, which SQLite has since 3.46. The SQL here works with
/// every version.
/// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html#modifiers>
public enum MonthOverflow: Sendable {
  /// The date continues into the next month: February 31st is March 3rd, or March 2nd.
  case ceiling
  /// The date is the last day of the month: February 31st is February 28th, or 29th.
  case floor
}
