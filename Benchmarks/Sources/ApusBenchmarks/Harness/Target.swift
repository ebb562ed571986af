/// The target of a workload.
struct Target: Sendable {
  let text: String
  let isReached: @Sendable (Measurement) -> Bool?

  /// Returns the target of at most `ratio` times the time of the C side.
  static func c(_ ratio: Double) -> Target {
    Target(text: "≤ \(format(ratio)) × C") { $0.ratio(.apus).map { $0 <= ratio } }
  }

  /// Returns the target of being at least `factor` times faster than the peer.
  static func grdb(_ factor: Double) -> Target {
    Target(text: "GRDB ÷ \(Int(factor))") { measurement in
      guard let apus = measurement[.apus], let grdb = measurement[.grdb] else { return nil }
      return grdb / apus >= factor
    }
  }

  /// Returns the target of at most `nanoseconds` more than the C side.
  static func above(_ nanoseconds: Double) -> Target {
    Target(text: "≤ C + \(Int(nanoseconds / 1_000)) µs") { measurement in
      guard let apus = measurement[.apus], let c = measurement[.c] else { return nil }
      return apus - c <= nanoseconds
    }
  }

  /// Returns the target of at most `nanoseconds`.
  static func time(_ nanoseconds: Double) -> Target {
    Target(text: "≤ \(Int(nanoseconds)) ns") { $0[.apus].map { $0 <= nanoseconds } }
  }
}
