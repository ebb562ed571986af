/// The command line arguments of a run.
struct Options: Sendable {
  var isFull = false
  var rows: [String] = []
  var seed = UInt64.random(in: 0 ... .max >> 1)
  var hasSeed = false
  var state: String?
  var page: String?
  /// The commit under trial, which the state file and the page name.
  var commit = "unknown"
  /// The share of each trial's count that is tried, in percent.
  var percent = 100

  init(_ arguments: [String]) throws {
    var arguments = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw Violation("\(option) needs a value") }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "quick": isFull = false
      case "full": isFull = true
      case "--seed":
        guard let number = UInt64(try value(of: argument)) else {
          throw Violation("--seed needs a number")
        }
        seed = number
        hasSeed = true
      case "--state": state = try value(of: argument)
      case "--page": page = try value(of: argument)
      case "--commit": commit = try value(of: argument)
      case "--percent":
        guard let number = Int(try value(of: argument)), number > 0 else {
          throw Violation("--percent needs a number")
        }
        percent = number
      default:
        guard OnTrial.trials.contains(where: { $0.name == argument }) else {
          let names = OnTrial.trials.map { $0.name }.joined(separator: ", ")
          throw Violation("there is no row \(argument); the rows are \(names)")
        }
        rows.append(argument)
      }
    }
  }

  var trials: [any Trial.Type] {
    OnTrial.trials.filter { rows.isEmpty || rows.contains($0.name) }
  }

  func count(of trial: any Trial.Type) -> Int {
    let count = isFull ? trial.full : trial.quick
    return max(1, count * percent / 100)
  }
}
