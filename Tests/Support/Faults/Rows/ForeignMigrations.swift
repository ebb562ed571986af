import Apus
import Foundation

/// R18: files of other programs are opened with models. Each pair of a declared type and a Swift
/// type is tried with values as other programs write them. Either each value is kept, or the
/// opening is refused and the file stays as it was.
enum ForeignMigrations: Trial {
  static let name = "R18"
  static let title = "migration of foreign values"
  static let unit = "combinations"
  /// Each pair of types a few times.
  static let quick = pairs * 5
  /// Each pair of types with each value.
  static let full = pairs * ForeignValues.all.count
  static let partSize = 1_500

  private static let pairs = ForeignColumn.all.count * ForeignType.all.count

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    for number in numbers {
      Progress.show(number)
      let run = ForeignMigration(number: number, pair: number % pairs, seed: seed)
      do {
        try run.run(&tally)
      } catch {
        tally.fail("R18 \(number) seed \(seed): \(run): \(error)")
      }
      tally.count(unit)
    }
  }

  static func judge(_ tally: Tally) -> [String] {
    let met = ["kept", "refused", "converted", "deleted as asked", "planted losses"]
    var findings = met.filter { tally.counts[$0, default: 0] == 0 }.map { "there were no \($0)" }
    let planted = tally.counts["planted losses", default: 0]
    let found = tally.counts["planted losses found", default: 0]
    if found != planted { findings.append("\(planted - found) planted losses were not found") }
    return findings
  }
}
