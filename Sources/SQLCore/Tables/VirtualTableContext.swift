/// The circumstances in which a virtual table is made: its name, its arguments and its connection.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xcreate_method>
public struct VirtualTableContext {
  /// The name of the module.
  public let module: String
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The name of the table.
  public let name: String
  /// The text between the parentheses of `CREATE VIRTUAL TABLE`, split at the commas.
  public let arguments: [String]
  /// True while the table is being created; false if it exists already and a connection opens it.
  public let isNew: Bool
  // Weak, because a table that retained its connection would never be freed.
  private weak var core: ConnectionCore?

  init(
    core: ConnectionCore, isNew: Bool, count: Int32,
    words: UnsafePointer<UnsafePointer<CChar>?>?
  ) {
    let words = (0..<Int(count)).map { words?[$0].map { String(cString: $0) } ?? "" }
    module = words.first ?? ""
    database = words.dropFirst().first ?? ""
    name = words.dropFirst(2).first ?? ""
    arguments = Array(words.dropFirst(3))
    self.isNew = isNew
    self.core = core
  }

  /// The connection of the table, on which it can run statements. Throws misuse after the
  /// connection was closed.
  public var connection: Connection {
    get throws {
      guard let core else { throw DatabaseError.misuse("the connection of the table is closed") }
      return core.lend()
    }
  }

  /// The conflict resolution of the running write. Only valid while `insert` or `update` runs.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/vtab_on_conflict.html>
  public var conflictResolution: ConflictResolution {
    get throws { ConflictResolution(of: try connection.use()) }
  }
}
