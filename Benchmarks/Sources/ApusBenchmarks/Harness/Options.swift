/// What the command line asks for.
struct Options {
  /// Workloads whose name or title holds one of these, without case; all where there is none.
  var filters: [String] = []
  var json: String?
  var rounds = 9
  /// One side alone, for a profiler.
  var side: SideName?

  struct Invalid: Error {
    let message: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw Invalid(message: "\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": json = try value(of: argument)
      case "--rounds":
        guard let count = Int(try value(of: argument)), count > 0 else {
          throw Invalid(message: "--rounds needs a number from 1 on")
        }
        rounds = count
      case "--side":
        guard let name = SideName(rawValue: try value(of: argument)) else {
          throw Invalid(message: "--side needs c or apus")
        }
        side = name
      case _ where argument.hasPrefix("-"):
        throw Invalid(message: "there is no option \(argument)")
      default: filters.append(argument)
      }
    }
  }

  func wants(_ workload: Workload) -> Bool {
    filters.isEmpty
      || filters.contains { filter in
        workload.name.lowercased() == filter.lowercased()
          || workload.title.lowercased().contains(filter.lowercased())
      }
  }
}
