/// The target for the time of Apus in a workload.
struct Target: Sendable {
  let text: String
  /// Whether the target refers to the time of a hop. If so, hops are measured between the rounds.
  var isInHops = false
  let isReached: @Sendable (Measurement) -> Bool?

  /// Returns the target of at most `ratio` times the time of the C side.
  static func c(_ ratio: Double) -> Target {
    Target(text: "≤ \(format(ratio)) × C") { $0.ratio(.apus).map { $0 <= ratio } }
  }

  /// Returns the target that GRDB takes at least `factor` times as long as Apus.
  static func grdb(_ factor: Double) -> Target {
    Target(text: "GRDB ÷ \(Int(factor))") { measurement in
      measurement.quotient(.grdb, by: .apus).map { $0 >= factor }
    }
  }

  /// Returns the target of at most `nanoseconds` more than the C side.
  static func above(_ nanoseconds: Double) -> Target {
    Target(text: "≤ C + \(Int(nanoseconds / 1_000)) µs") { measurement in
      guard let apus = measurement[.apus], let c = measurement[.c] else { return nil }
      return apus - c <= nanoseconds
    }
  }

  /// Returns the target of at most `factor` hops more than the C side. The time of a hop is
  /// measured between the rounds.
  static func hops(_ factor: Double) -> Target {
    Target(text: "≤ C + \(format(factor, digits: 1)) hops", isInHops: true) { measurement in
      guard let apus = measurement[.apus], let c = measurement[.c], let hop = measurement.hop else {
        return nil
      }
      return apus - c <= factor * hop
    }
  }

  /// Returns the target of at most `nanoseconds`.
  static func time(_ nanoseconds: Double) -> Target {
    Target(text: "≤ \(Int(nanoseconds)) ns") { $0[.apus].map { $0 <= nanoseconds } }
  }
}
