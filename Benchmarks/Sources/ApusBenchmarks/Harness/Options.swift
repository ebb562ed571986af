/// What the command line asks for.
struct Options {
  /// Workloads whose name or title holds one of these, without case; all where there is none.
  var filters: [String] = []
  var json: String?
  /// Where the page of figures goes, with a chart and the machine's description.
  var page: String?
  var rounds = 9
  /// Leaves out what takes many seconds.
  var isQuick = false
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
      case "--page": page = try value(of: argument)
      case "--quick": isQuick = true
      case "--rounds":
        guard let count = Int(try value(of: argument)), count > 0 else {
          throw Invalid(message: "--rounds needs a number from 1 on")
        }
        rounds = count
      case "--side":
        guard let name = SideName(rawValue: try value(of: argument)) else {
          throw Invalid(message: "--side needs c, apus, grdb or codable")
        }
        side = name
      case _ where argument.hasPrefix("-"):
        throw Invalid(message: "there is no option \(argument)")
      default: filters.append(argument)
      }
    }
  }

  func wants(_ workload: Workload) -> Bool {
    if isQuick, workload.isLong { return false }
    return filters.isEmpty
      || filters.contains { filter in
        workload.name.lowercased() == filter.lowercased()
          || workload.title.lowercased().contains(filter.lowercased())
      }
  }
}
