import Apus
import Foundation
import TestRun
import Testing

/// The lines that a plan offers, pasted as a user would paste them.
@Suite("The lines that a refused migration offers")
struct OfferedLineTests {
  @Test("each compiles where it is pasted, and does what it is offered for")
  func pasted() async throws {
    var lines: [OfferedLine] = []
    for sample in TestSize.sample(OfferedLineSample.all, small: 24) {
      let offered = try OfferedLine.all(for: sample)
      #expect(offered.count >= sample.lineCount, "\(sample.title): \(offered.map(\.text))")
      lines += offered
    }
    let program = ClientProgram(try OfferedProgram().source(of: lines))
    let output = try await ClientCompiler.shared.output(of: program)
    var said = output.split(separator: "\n").map(String.init)
    #expect(said.popLast() == "checked \(lines.count)")
    for complaint in said {
      let line = complaint.firstMatch(of: #/^(\d+): /#).flatMap { Int($0.1) }.map { lines[$0] }
      Issue.record("\(line?.sample.title ?? "")\n\(line?.text ?? "")\n\(complaint)")
    }
  }

  @Test(
    "one that loses values says so, and is not the first if another keeps them",
    arguments: OfferedLineSample.all.indices)
  func losing(_ index: Int) throws {
    func loses(_ line: OfferedLine) -> Bool {
      line.text.contains("  // loses ") || line.text.contains("  // deletes ")
    }
    let steps = Dictionary(
      grouping: try OfferedLine.all(for: OfferedLineSample.all[index]), by: \.step)
    for lines in steps.values {
      if let first = lines.first, loses(first) {
        #expect(lines.allSatisfy(loses), "\(lines.map(\.text))")
      }
      for line in lines where line.isDestructive {
        #expect(loses(line), "\(line.text)")
      }
    }
  }
}

extension OfferedLine {
  /// Whether values or rows go with it, as its words say.
  fileprivate var isDestructive: Bool {
    if text.hasPrefix("Dropped(table:") || text.contains("DELETE FROM") { return true }
    if text.hasPrefix("MigrationOptions(invalidValues:") { return true }
    // A column that is calculated, and so names the one that goes, has no values of its own.
    return text.hasPrefix("Dropped(\"") && !step.reason.contains("cannot be dropped while")
  }
}
