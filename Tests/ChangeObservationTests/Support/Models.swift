import ChangeObservation
import QueryDSL
import SQLCore

struct Note: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var title: String
  @Column var stars = 0
  @Column var body: String?
}

struct Tagging: Model, Equatable {
  struct ID: Hashable, Sendable {
    var note: Int64
    var tag: String
  }
  @PrimaryKey var note: Int64
  @PrimaryKey var tag: String
  @Column var weight = 1.0
  var id: ID { ID(note: note, tag: tag) }

  static var schema: Schema<Tagging> {
    ForeignKey(\.$note, references: \Note.$id, onDelete: .cascade)
  }
}

extension ChangeStream {
  /// Collects elements up to and including the first that satisfies the condition.
  func collect(until isLast: (ModelChanges<M>) -> Bool) async -> [ModelChanges<M>] {
    var collected: [ModelChanges<M>] = []
    for await changes in self {
      collected.append(changes)
      if isLast(changes) { break }
    }
    return collected
  }
}

/// Describes the reported changes as words that a test can compare.
func words<M: Model>(_ changes: [ModelChanges<M>]) -> [[String]] {
  changes.map { transaction in
    transaction.events.map { "\($0)" }.sorted()
      + transaction.rows.map { row in
        let key = row.keyValues.map(\.description).joined(separator: ",")
        return "\(row.kind) \(key) \(row.changedColumns.joined(separator: ","))"
      }
  }
}
