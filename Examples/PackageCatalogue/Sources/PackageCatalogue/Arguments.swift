/// The command line arguments of the demo.
struct Arguments: Equatable {
  static let help = """
    Reads Debian packages into a database, and shows what Apus does with it.

      Scripts/demo                           the packages of this machine, or a small sample
      Scripts/demo FILE                      the packages of a Debian control file
      apt-cache dumpavail | Scripts/demo -   the packages of standard input
      Scripts/demo --release                 the same, optimized by the compiler

      --database PATH   keeps the database at PATH, and replaces the packages in it;
                        by default, the database is temporary and deleted at the end
      --search TEXT     the words to search for in names and descriptions; by default "text"
      --help            shows this help
    """

  var list = PackageList.ofThisMachine
  var databasePath: String?
  var search = "text"
  var wantsHelp = false

  /// Reads the words after the name of the program.
  init(_ words: some Sequence<String>) throws {
    var rest = words.makeIterator()
    var hasList = false
    func value(of option: String) throws -> String {
      guard let value = rest.next(), !value.isEmpty else {
        throw UsageError(message: "\(option) needs a value")
      }
      return value
    }
    while let word = rest.next() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--database": databasePath = try value(of: word)
      case "--search": search = try value(of: word)
      case _ where word.hasPrefix("-") && word != "-":
        throw UsageError(message: "there is no option \(word)")
      default:
        guard !hasList else { throw UsageError(message: "\(word): only one list can be read") }
        list = word == "-" ? .standardInput : .file(word)
        hasList = true
      }
    }
  }
}

/// An error in the command line arguments.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let message: String
  var description: String { "\(message); --help shows all options" }
}
