#if canImport(FoundationEssentials)
  import FoundationEssentials
  // The time zones are in FoundationInternationalization; FoundationEssentials knows only GMT.
  #if canImport(FoundationInternationalization)
    import FoundationInternationalization
  #endif
#else
  import Foundation
#endif

extension Registration {
  /// The functions that convert between times in UTC and in a time zone. All times are whole
  /// seconds since 1970.
  ///
  /// | SQL | returns |
  /// |---|---|
  /// | `apus_local(seconds, zone)` | the time that a clock in the zone shows at a moment in UTC |
  /// | `apus_utc(seconds, zone)` | the moment in UTC at which a clock in the zone shows a time |
  /// | `apus_utc_start(seconds, zone)` | the moment in UTC at which a day starts in the zone |
  ///
  /// The argument `zone` is the identifier of a time zone, such as `Europe/Berlin`, or `localtime`.
  /// The rules of time zones change, so indexes cannot use these functions.
  static let timeZones = Registration { registrar in
    func add(
      _ name: String, _ convert: @escaping @Sendable (Int64, ClockZone) -> Int64
    ) throws {
      try registrar.function(name, argumentCount: 2, .innocuous) { arguments in
        guard let seconds = try arguments.get(Int64?.self, at: 0) else { return .null }
        let zone = try arguments.prepared(at: 1) { try ClockZone(identifier: $0) }
        guard ClockZone.range.contains(seconds) else { return .null }
        return .integer(convert(seconds, zone))
      }
    }
    try add("apus_local") { $1.local(fromUTC: $0) }
    try add("apus_utc") { $1.utc(fromLocal: $0, isStart: false) }
    try add("apus_utc_start") { $1.utc(fromLocal: $0, isStart: true) }
  }
}

/// A time zone that converts between UTC and the time that the zone's clocks show.
final class ClockZone: Sendable {
  /// The times for which SQLite's date functions work, in seconds since 1970: the years 0 to 9999,
  /// and one day more at each end.
  static let range: ClosedRange<Int64> = -62_167_305_600...253_402_387_199

  private let zone: TimeZone

  init(identifier: DatabaseValue) throws {
    guard case .text(let name) = identifier, let zone = TimeZone(named: name) else {
      throw ColumnValueError(
        .invalid(expected: "the identifier of a time zone", found: identifier.description))
    }
    self.zone = zone
  }

  func local(fromUTC seconds: Int64) -> Int64 { seconds + offset(at: seconds) }

  /// Returns the first moment at which clocks show a given time.
  ///
  /// Some times do not exist, because the clocks are set forward past them. If 02:30 is such a
  /// time, for example, the result is the moment at which clocks show 03:30. If such a time is the
  /// start of a day (`isStart` is true), the result is the moment at which the clocks are set
  /// forward.
  func utc(fromLocal seconds: Int64, isStart: Bool) -> Int64 {
    let day: Int64 = 86_400
    let before = offset(at: seconds - day)
    let after = offset(at: seconds + day)
    let early = seconds - before
    let late = seconds - after
    let isEarly = offset(at: early) == before
    let isLate = offset(at: late) == after
    switch (isEarly, isLate) {
    case (true, true): return min(early, late)
    case (true, false): return early
    case (false, true): return late
    case (false, false): return isStart ? change(in: late..<early) : early
    }
  }

  /// Returns the first second in a range at which the zone's offset from UTC differs from the
  /// offset at the beginning of the range.
  private func change(in range: Range<Int64>) -> Int64 {
    guard !range.isEmpty else { return range.upperBound }
    var (low, high) = (range.lowerBound, range.upperBound)
    let old = offset(at: low)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offset(at: middle) == old { low = middle } else { high = middle }
    }
    return high
  }

  private func offset(at seconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }
}

extension TimeZone {
  /// The name that stands for the time zone of the machine, as in SQLite's date functions.
  package static var localName: String { "localtime" }

  /// Whether Foundation knows time zones other than GMT. If a program links Foundation statically
  /// and uses nothing else of FoundationInternationalization, the linker leaves the other time
  /// zones out. The machine's own time zone then appears to be GMT.
  package static let areKnown = TimeZone(identifier: "Europe/Berlin") != nil

  /// Makes the time zone with an identifier, or the machine's time zone for `localtime`. Returns
  /// nil if Foundation does not know the time zone.
  package init?(named name: String) {
    guard TimeZone.areKnown else { return nil }
    if name == TimeZone.localName {
      self = .current
    } else {
      self.init(identifier: name)
    }
  }
}
