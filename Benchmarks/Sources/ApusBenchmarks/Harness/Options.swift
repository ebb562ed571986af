/// The command line arguments.
struct Options {
  /// Names of workloads, or parts of their titles, ignoring case. If empty, all workloads run.
  var filters: [String] = []
  /// The file to which the figures are written.
  var json: String?
  /// The file with the figures of an earlier run, which are written into the pages. If nil, the
  /// workloads are measured.
  var figures: String?
  /// The folder of the documentation into which the pages are written.
  var pages: String?
  /// Whether the pages are not written, but only compared with the text that would be written.
  var isCheck = false
  var rounds = 9
  /// Whether workloads that take many seconds are left out.
  var isQuick = false
  /// Whether the memory of observations is measured instead of the workloads.
  var isMemory = false
  /// Whether many observers that differ in one value are measured instead of the workloads.
  var isObservers = false
  /// The numbers of observers to measure. If nil, these are `ManyObservers.sizes`.
  var sizes: [Int]?
  /// The time in seconds for which commits and page reads run in each measurement of observers.
  var seconds = 3.0
  /// The sides to run. If empty, all sides run. A selection saves time, or serves to profile one
  /// side.
  var sides: [SideName] = []

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
      case "--figures": figures = try value(of: argument)
      case "--pages": pages = try value(of: argument)
      case "--check": isCheck = true
      case "--quick": isQuick = true
      case "--memory": isMemory = true
      case "--observers": isObservers = true
      case "--sizes": sizes = try value(of: argument).split(separator: ",").compactMap { Int($0) }
      case "--seconds": seconds = Double(try value(of: argument)) ?? seconds
      case "--rounds":
        guard let count = Int(try value(of: argument)), count > 0 else {
          throw Invalid(message: "--rounds needs a number greater than 0")
        }
        rounds = count
      case "--side":
        guard let name = SideName(rawValue: try value(of: argument)) else {
          throw Invalid(message: "--side needs c, apus, grdb or codable")
        }
        sides.append(name)
      case _ where argument.hasPrefix("-"):
        throw Invalid(message: "there is no option \(argument)")
      default: filters.append(argument)
      }
    }
  }

  /// Returns whether the filters select a workload. A filter that is the name of a workload selects
  /// only that one, even if other titles contain it.
  func wants(_ workload: Workload) -> Bool {
    if isQuick, workload.isLong { return false }
    return filters.isEmpty
      || filters.contains { filter in
        let filter = filter.lowercased()
        return Workload.all.contains { $0.name.lowercased() == filter }
          ? workload.name.lowercased() == filter
          : workload.title.lowercased().contains(filter)
      }
  }
}
