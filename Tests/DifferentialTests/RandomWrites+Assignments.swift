import QueryDSL
import SQLCore

// Updates that assign values and change columns in place.

extension RandomWrites {
  /// Changes a few columns, each in one of several ways. No column is assigned twice.
  mutating func updateInPlace() -> RandomWrite {
    var changes: [(inout Row, Row) -> Void] = []
    var condition: Condition?
    let (number, real, text) = (values.optional { $0.below(3) }, values.real(), values.text())
    let truth = values.optional { $0.flip() }
    let (forN, forT, forR) = (values.below(6), values.below(6), values.below(6))
    let (forF, forG, forM) = (values.below(5), values.below(5), values.below(9))
    let update = Gamma.update { row in
      switch forN {
      case 0:
        row.$n = nil
        changes.append { new, _ in new[2] = .null }
      case 1:
        row.$n = number
        changes.append { new, _ in new[2] = value(number) }
      case 2:
        row.$n += 1
        changes.append { new, old in new[2] = SQLLogic.calculate("+", old[2], 1) }
      case 3:
        row.$n = 2 - row.$n
        changes.append { new, old in new[2] = SQLLogic.calculate("-", 2, old[2]) }
      default: break
      }
      switch forM {
      case 0:
        row.$m = 3
        changes.append { new, _ in new[3] = 3 }
      case 1:
        row.$m = 3 - row.$m
        changes.append { new, old in new[3] = SQLLogic.calculate("-", 3, old[3]) }
      default: break
      }
      switch forR {
      case 0:
        row.$r = real
        changes.append { new, _ in new[4] = value(real) }
      case 1:
        row.$r *= 0.5
        changes.append { new, old in new[4] = SQLLogic.calculate("*", old[4], 0.5) }
      case 2:
        row.$r = row.$r - row.$m
        changes.append { new, old in new[4] = SQLLogic.calculate("-", old[4], old[3]) }
      default: break
      }
      switch forT {
      case 0:
        row.$t = nil
        changes.append { new, _ in new[5] = .null }
      case 1:
        row.$t = text
        changes.append { new, _ in new[5] = value(text) }
      case 2:
        // A text that was NULL stays NULL.
        row.$t += "+"
        changes.append { new, old in new[5] = SQLLogic.concat(old[5], "+") }
      case 3:
        row.$t += row.$code.optional
        changes.append { new, old in new[5] = SQLLogic.concat(old[5], old[1]) }
      default: break
      }
      switch forF {
      case 0:
        row.$f = truth
        changes.append { new, _ in new[6] = value(truth) }
      case 1:
        row.$f = nil
        changes.append { new, _ in new[6] = .null }
      case 2:
        row.$f.toggle()
        changes.append { new, old in
          new[6] = old[6].isNull ? .null : SQLLogic.calculate("-", 1, old[6])
        }
      default: break
      }
      switch forG {
      case 0:
        row.$g = truth ?? true
        changes.append { new, _ in new[7] = value(truth ?? true) }
      case 1:
        row.$g = false
        changes.append { new, _ in new[7] = 0 }
      default:
        row.$g.toggle()
        changes.append { new, old in new[7] = SQLLogic.calculate("-", 1, old[7]) }
      }
    }.where { gamma in
      let made = expressions(over: Gamma.columns(of: gamma, at: 0)) { $0.condition(depth: 2) }
      condition = made
      return [made.predicate]
    }
    return write(update) { row in
      guard condition?.holds([row]) == true else { return nil }
      var updated = row
      // Each assignment sees the row as it was.
      for change in changes { change(&updated, row) }
      return updated
    }
  }
}
