import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A time zone in which a query reads dates: UTC, that of the machine, or one by its identifier.
///
/// ```swift
/// Post.select { ($0.$createdAt.day(in: .localTime), $0.count()) }
///   .group { $0.$createdAt.day(in: .localTime) }
/// Post.where { $0.$createdAt.component(.hour, in: "Europe/Berlin") < 12 }
/// ```
///
/// The rules are those of Foundation's `TimeZone`, for all years; SQLite's own `localtime` knows
/// only those of 1970 to 2037. Governments change the rules, so indexes and generated columns
/// cannot use them.
///
/// A program that links Foundation statically on Linux has no time zones unless it uses something
/// of FoundationInternationalization, such as `1.5.formatted()`. Without them, all zones but `.utc`
/// throw `QueryError`.
public struct SQLTimeZone: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The identifier; nil for UTC.
  let identifier: String?

  /// Names a time zone by its identifier in the time zone database, such as `Europe/Berlin`. An
  /// identifier that does not exist throws `QueryError` when the query is rendered.
  public init(_ identifier: String) {
    self.identifier = identifier
  }

  /// Names a time zone by a literal.
  public init(stringLiteral identifier: String) {
    self.init(identifier)
  }

  /// Uses a time zone of Foundation.
  public init(_ zone: TimeZone) {
    self.init(zone.identifier)
  }

  private init() {
    identifier = nil
  }

  /// Coordinated Universal Time, which has no daylight saving time.
  public static let utc = SQLTimeZone()
  /// The time zone of the machine: `TimeZone.current` when the query runs.
  public static let localTime = SQLTimeZone(TimeZone.localName)

  /// Converts whole seconds since 1970 to those that a clock in the zone shows.
  func local(_ seconds: ExpressionNode) -> ExpressionNode { called("apus_local", seconds) }

  /// Converts the whole seconds that a clock in the zone shows to those since 1970.
  ///
  /// - Parameter isStart: whether they are the start of a day. If the clocks skip midnight, the day
  ///   begins when they change.
  func utc(_ seconds: ExpressionNode, isStart: Bool) -> ExpressionNode {
    called(isStart ? "apus_utc_start" : "apus_utc", seconds)
  }

  private func called(_ function: String, _ seconds: ExpressionNode) -> ExpressionNode {
    guard let identifier else { return seconds }
    guard TimeZone.areKnown else {
      return .invalid(
        QueryError(
          "this program knows no time zone but GMT, because it links Foundation statically; link "
            + "it dynamically, or use something of FoundationInternationalization, such as "
            + "1.5.formatted(), which makes the linker include the time zones"))
    }
    guard TimeZone(named: identifier) != nil else {
      return .invalid(
        QueryError(
          "there is no time zone \(identifier.debugDescription); use an identifier of the time "
            + "zone database, such as \"Europe/Berlin\", or .localTime"))
    }
    return .function(function, [seconds, .value(BoundValue(identifier))])
  }
}
