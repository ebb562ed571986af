import Apus
import Foundation

/// The list in one file, and the commands.
struct List {
  private let name: String
  private let db: Database

  init(path: String) throws {
    name = URL(filePath: path).deletingPathExtension().lastPathComponent
    db = try Database(path: path, models: [Item.self])
  }

  func run(_ command: String, _ arguments: [String]) throws {
    let first = arguments.first ?? ""
    switch (command, arguments.count) {
    case ("add", 1): try db.insert(Item(name: first))
    case ("add", 2): try db.insert(Item(name: first, count: number(arguments[1])))
    case ("rename", 2): try edit(first) { $0.name = arguments[1] }
    case ("count", 2): try edit(first) { $0.count = try number(arguments[1]) }
    case ("buy", 1): try edit(first) { $0.isBought = true }
    case ("remove", 1): try db.run(Item.delete().where { $0.$name == first })
    case ("show", 0): try show()
    case ("wait", 1): try exchange(with: .waiting(at: first), pullsFirst: false)
    case ("connect", 1): try exchange(with: .connecting(to: first), pullsFirst: true)
    case ("compare", 1): try compare(with: List(path: first))
    default: throw CommandError.unknown(command)
    }
  }

  private func number(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw CommandError.unknown(text) }
    return number
  }

  /// Changes all items that have the given name, in one transaction. Only the columns whose values
  /// differ are written, and later sent to the other side.
  private func edit(_ itemName: String, _ change: (inout Item) throws -> Void) throws {
    try db.write { tx in
      for var item in try tx.fetch(Item.where { $0.$name == itemName }) {
        try change(&item)
        try tx.update(item)
      }
    }
  }

  private func show() throws {
    print("\(name)")
    print(try db.table(Item.order { $0.$id }.select { ($0.$name, $0.$count, $0.$isBought) }))
  }

  private func exchange(with peer: Peer, pullsFirst: Bool) throws {
    let exchange = Exchange(db: db, peer: peer)
    if !pullsFirst { try exchange.serve() }
    let result = try exchange.pull()
    print("\(name) applied \(result.transactions) transactions of the other list")
    for resolved in result.conflicts {
      print("  conflict: \(resolved.conflict)")
      print("    → \(resolved.wasApplied ? "the other list wins" : "this list stays as it is")")
    }
    if let waiting = result.waiting, waiting.count > 0 { print("  \(waiting)") }
    if pullsFirst { try exchange.serve() }
  }

  private func compare(with other: List) throws {
    let query = Item.order { $0.$id }
    guard try db.fetch(query) == other.db.fetch(query) else {
      throw CommandError.differs(name, other.name)
    }
    print("\(name) and \(other.name) have the same \(try db.count(Item.all)) items")
  }
}
