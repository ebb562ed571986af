import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// Databases whose programs have different versions of the models.
@Suite("Changes from other databases that wait until they can be applied")
struct WaitingChangesTests {
  private enum Old {
    typealias Job = Versions.First.Job
    typealias Part = Versions.First.Part

    static let models: [any TableModel.Type] = [Job.self, Part.self]
  }

  private enum New {
    typealias Job = Versions.Second.Job
    typealias Part = Versions.Second.Part

    struct Tag: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var part: Int
      @Column var name: String
      static var schema: Schema<Tag> {
        Logged()
        Unique(\.$name)
        ForeignKey(\.$part, references: \Part.$id)
      }
    }

    static let models: [any TableModel.Type] = [Job.self, Part.self, Tag.self]
  }

  private enum Moved {
    struct Task: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var name: String
      static var schema: Schema<Task> {
        Logged()
        RenamedTable(from: "Job")
        Renamed(\.$name, from: "title")
      }
    }

    static let models: [any TableModel.Type] = [Task.self]
  }

  private enum Labelled {
    struct Job: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var label: String
      static var schema: Schema<Job> {
        Logged()
        Renamed(\.$label, from: "title")
      }
    }
  }

  private func database(_ models: [any TableModel.Type]) throws -> Database {
    try .temporary(models: models)
  }

  /// Opens the file again, with the models of a newer program.
  private func updated(_ db: Database, to models: [any TableModel.Type] = New.models) throws
    -> Database
  {
    try Database(path: try #require(db.path), models: models)
  }

  @discardableResult
  private func send(
    from source: Database, to target: Database, relaying: Bool = false,
    resolving policy: ConflictPolicy = .newer, waitingLimit: Int = 100
  ) throws -> LogApplication {
    let position = try target.log.appliedPosition(of: source.log.identity, relaying: relaying)
    let data = try JSONEncoder().encode(source.log.batch(after: position, relaying: relaying))
    return try target.log.apply(
      JSONDecoder().decode(LogBatch.self, from: data), resolving: policy,
      waitingLimit: waitingLimit)
  }

  /// The rows of the tables of the new models, as texts.
  private func rows(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self,
      """
      SELECT 'job ' || id || ' ' || title || ' ' || coalesce(color, '-') || ' ' || size FROM Job
      UNION ALL SELECT 'part ' || id || ' ' || job || ' ' || coalesce(note, '-') FROM Part
      UNION ALL SELECT 'tag ' || id || ' ' || part || ' ' || name FROM Tag ORDER BY 1
      """)
  }

  private func titles(_ db: Database) throws -> [String] {
    try db.fetch(String.self, "SELECT title FROM Job ORDER BY id")
  }

  @Test("columns that both know are applied at once, others after the migration")
  func columns() throws {
    let (new, old) = (try database(New.models), try database(Old.models))
    try old.insert(Old.Job(id: 1, title: "one"))
    try send(from: old, to: new)
    try new.insert(New.Job(id: 2, title: "two", color: "red", size: 3))
    try new.execute("UPDATE Job SET title = 'first', color = 'blue' WHERE id = 1")
    try new.execute("UPDATE Job SET size = 7 WHERE id = 1")
    let report = try send(from: new, to: old)
    #expect(report.count == 3 && report.conflicts.isEmpty)
    #expect(
      report.waiting.reasons == [
        .column("color", table: "Job"): 2, .column("size", table: "Job"): 2,
      ])
    #expect("\(report.waiting)".contains("2 for the column color of Job, which this database does"))
    #expect(try old.log.status().waiting == report.waiting)
    #expect(try titles(old) == ["first", "two"])
    try old.execute("UPDATE Job SET title = 'second' WHERE id = 2")
    // Before anything else arrives.
    let later = try updated(old)
    #expect(try later.log.status().waiting.count == 0)
    #expect(try rows(later) == ["job 1 first blue 7", "job 2 second red 3"])
    try send(from: later, to: new)
    #expect(try rows(new) == rows(later))
    // The log of the older one leads to its rows, and sends nothing of the other one's back.
    #expect(try send(from: later, to: new, relaying: true).count == 0)
    let positions = try new.log.entries().filter { $0.origin == nil }.map(\.position)
    #expect(try later.log.entries().suffix(3).map(\.origin?.position) == positions)
    #expect(try History(of: [New.Job.self], inLogOf: later).steps().undoable.count == 2)
  }

  @Test("a table that is missing, and what happened to its rows, arrives with the migration")
  func tables() throws {
    let (new, old) = (try database(New.models), try database(Old.models))
    try new.insert(New.Job(id: 1, title: "one"))
    try new.insert(New.Part(id: 1, job: 1))
    for id in 1...3 { try new.insert(New.Tag(id: id, part: 1, name: "t\(id)")) }
    try new.execute("UPDATE Tag SET name = 'renamed' WHERE id = 1")
    try new.execute("DELETE FROM Tag WHERE id = 2")
    let report = try send(from: new, to: old)
    #expect(report.waiting.reasons[.table("Tag")] == 5)
    #expect(try old.fetch(Int.self, "SELECT id FROM Part") == [1])
    let later = try updated(old)
    #expect(try rows(later) == rows(new))
    #expect(try later.log.status().waiting.count == 0)
    #expect(try later.log.apply(new.log.batch(after: 0), resolving: .newer).count == 0)
  }

  @Test("children wait for their parents, changes of a row for its insertion")
  func parents() throws {
    let (a, b, c) = (try database(New.models), try database(New.models), try database(New.models))
    try a.insert(New.Job(id: 1, title: "one"))
    try send(from: a, to: b)
    try b.insert(New.Part(id: 1, job: 1))
    try b.insert(New.Part(id: 2, job: 1))
    try b.insert(New.Tag(id: 1, part: 1, name: "tag"))
    try b.execute("UPDATE Part SET note = 'later'")
    try b.execute("DELETE FROM Part WHERE id = 2")
    for policy in [ConflictPolicy.newer, .theirs, .mine] {
      let target = try database(New.models)
      let report = try send(from: b, to: target, resolving: policy)
      #expect(report.count == 5 && report.conflicts.isEmpty)
      #expect(
        report.waiting.reasons == [
          .parent("Job", table: "Part"): 1, .parent("Part", table: "Tag"): 1,
          .row(table: "Part"): 1,
        ])
      #expect(try rows(target).isEmpty)
      let second = try send(from: a, to: target, resolving: policy)
      #expect(second.waiting.count == 0 && second.conflicts.isEmpty)
      #expect(try rows(target) == ["job 1 one - 1", "part 1 1 later", "tag 1 1 tag"])
      #expect(try rows(target) == rows(b))
    }
    // An update that refers to a missing parent waits with its row.
    try a.insert(New.Job(id: 2, title: "two"))
    try send(from: a, to: b)
    try send(from: b, to: c)
    try b.execute("UPDATE Part SET job = 2, note = 'moved'")
    let report = try send(from: b, to: c)
    #expect(report.waiting.reasons[.parent("Job", table: "Part")] != nil)
    try send(from: a, to: c)
    #expect(try rows(c) == rows(b))
    #expect(try c.log.status().waiting.count == 0)
  }

  @Test("the newer of two waiting values waits, and none for a row that is deleted")
  func superseded() throws {
    let (a, b, old) = (try database(New.models), try database(New.models), try database(Old.models))
    try a.insert(New.Job(id: 1, title: "one"))
    try a.insert(New.Job(id: 2, title: "two", color: "red"))
    try send(from: a, to: b)
    try a.execute("UPDATE Job SET color = 'older' WHERE id = 1")
    try b.execute("UPDATE Job SET color = 'x'")
    try b.execute("UPDATE Job SET color = 'newest' WHERE id = 1")
    try send(from: b, to: old)
    try send(from: a, to: old)
    #expect(try old.log.status().waiting.reasons[.column("color", table: "Job")] == 2)
    try b.execute("DELETE FROM Job WHERE id = 2")
    try send(from: b, to: old)
    #expect(try old.log.status().waiting.reasons[.column("color", table: "Job")] == 1)
    let later = try updated(old)
    #expect(try rows(later) == ["job 1 one newest 1"])
    try send(from: b, to: a)
    try send(from: a, to: b)
    #expect(try rows(a) == rows(later) && rows(b) == rows(later))
  }

  @Test("a value that waited loses against one that was written here later")
  func times() throws {
    let (new, another) = (try database(New.models), try database(Old.models))
    try new.insert(New.Job(id: 1, title: "one", color: "red", size: 2))
    try send(from: new, to: another)
    // A migration of an open database leaves what waits to the next batch.
    try another.migrate(New.models)
    try another.execute("UPDATE Job SET color = 'green'")
    #expect(try another.log.status().waiting.count == 2)
    // The update above is logged and newer; the size is not.
    try another.log.apply(new.log.batch(after: 0), resolving: .newer)
    #expect(try rows(another) == ["job 1 one green 2"])
    #expect(try another.log.status().waiting.count == 0)
  }

  @Test("names that a newer program has given wait, and those of an older one are followed")
  func renamed() throws {
    let (old, new) = (try database([Old.Job.self]), try database(Moved.models))
    try old.insert(Old.Job(id: 1, title: "one"))
    try send(from: old, to: new)
    #expect(try new.fetch(Moved.Task.all).map(\.name) == ["one"])
    try new.execute("UPDATE Task SET name = 'first'")
    try new.insert(Moved.Task(id: 2, name: "two"))
    let report = try send(from: new, to: old)
    #expect(report.waiting.reasons == [.table("Task"): 2])
    try old.execute("UPDATE Job SET title = 'last'")
    let later = try updated(old, to: Moved.models)
    #expect(try later.fetch(Moved.Task.all).map(\.name) == ["last", "two"])
    try send(from: later, to: new)
    #expect(try new.fetch(Moved.Task.all) == later.fetch(Moved.Task.all))
  }

  @Test("a row that the table does not allow without a column waits as a whole")
  func required() throws {
    let (old, new) = (try database([Old.Job.self]), try database([Labelled.Job.self]))
    try old.insert(Old.Job(id: 1, title: "one"))
    try send(from: old, to: new)
    #expect(try new.fetch(Labelled.Job.all).map(\.label) == ["one"])
    try new.insert(Labelled.Job(id: 2, label: "two"))
    try new.execute("UPDATE Job SET label = label || '!'")
    let report = try send(from: new, to: old)
    #expect(
      report.waiting.reasons == [.column("label", table: "Job"): 2, .row(table: "Job"): 1])
    #expect(try titles(old) == ["one"])
    let later = try updated(old, to: [Labelled.Job.self])
    #expect(try later.fetch(Labelled.Job.order { $0.$id }).map(\.label) == ["one!", "two!"])
    // Older entries of the log have the former name, and are not taken for older values.
    try later.execute("UPDATE Job SET label = 'last' WHERE id = 1")
    try send(from: later, to: new)
    #expect(try new.fetch(Labelled.Job.order { $0.$id }).map(\.label) == ["last", "two!"])
  }

  @Test("receiving stops at the limit, with an error and without passing the position")
  func limit() throws {
    let (new, old) = (try database(New.models), try database(Old.models))
    for id in 1...3 { try new.insert(New.Job(id: id, title: "t", color: "red", size: 2)) }
    let error = #expect(throws: LogError.self) { try send(from: new, to: old, waitingLimit: 5) }
    guard case .tooManyWaiting(let waiting, 5) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(waiting.count == 6)
    #expect("\(try #require(error))".contains("waitingLimit"))
    #expect(try titles(old).isEmpty && old.log.status().waiting.count == 0)
    #expect(try old.log.appliedPosition(of: new.log.identity) == .start)
    #expect(try send(from: new, to: old, waitingLimit: 6).waiting.count == 6)
  }

  @Test("a policy decides by time and fails for some conflicts, or leaves out what could wait")
  func policies() throws {
    let (new, old) = (try database(New.models), try database(Old.models))
    try new.insert(New.Job(id: 1, title: "one", color: "red"))
    let strict = ConflictPolicy.newer.failing { conflict in
      if case .schemaChanged = conflict.reason { true } else { false }
    }
    for policy in [strict, .fail] {
      let error = #expect(throws: ChangeConflicts.self) {
        try send(from: new, to: old, resolving: policy)
      }
      #expect("\(try #require(error))".contains("does not have the columns color, size"))
    }
    #expect(try titles(old).isEmpty)
    let careless = ConflictPolicy { _ in .discard }
    let report = try send(from: new, to: old, resolving: careless)
    #expect(report.conflicts.map(\.wasApplied) == [false] && report.waiting.count == 0)
    #expect(try titles(old) == ["one"])
    // By time, with an exception.
    let (a, b) = (try database(New.models), try database(New.models))
    try a.insert(New.Job(id: 1, title: "a"))
    try a.insert(New.Part(id: 1, job: 1))
    try send(from: a, to: b)
    try a.insert(New.Tag(id: 1, part: 1, name: "same"))
    try b.insert(New.Tag(id: 2, part: 1, name: "same"))
    try b.execute("UPDATE Job SET title = 'b'")
    let unique = ConflictPolicy.newer.failing { conflict in
      if case .notUnique = conflict.reason { true } else { false }
    }
    #expect(throws: ChangeConflicts.self) { try send(from: b, to: a, resolving: unique) }
  }

  @Test("a hub sends on what waits in it, before and after it could apply it")
  func relayed() throws {
    let (new, hub) = (try database(New.models), try database(Old.models))
    let (early, late) = (try database(New.models), try database(New.models))
    try new.insert(New.Job(id: 1, title: "one", color: "red"))
    try new.insert(New.Part(id: 1, job: 1))
    try new.insert(New.Tag(id: 1, part: 1, name: "tag"))
    try new.execute("UPDATE Job SET color = 'blue'")
    try send(from: new, to: hub)
    #expect(try hub.log.status().waiting.count > 0)
    try send(from: hub, to: early, relaying: true)
    #expect(try rows(early) == rows(new))
    let later = try updated(hub)
    #expect(try rows(later) == rows(new))
    try send(from: later, to: late, relaying: true)
    #expect(try rows(late) == rows(new))
    #expect(try send(from: later, to: early, relaying: true).count == 0)
    #expect(try send(from: new, to: late).count == 0)
    for db in [early, late] { #expect(try db.log.status().waiting.count == 0) }
  }

  @Test("a child of a row that was deleted is left out and reported, and does not wait for ever")
  func deletedParents() throws {
    let (a, b) = (try database(New.models), try database(New.models))
    for id in 1...2 { try a.insert(New.Job(id: id, title: "job")) }
    try send(from: a, to: b)
    try a.execute("DELETE FROM Job WHERE id = 1")
    try b.insert(New.Part(id: 1, job: 1))
    let report = try send(from: b, to: a)
    #expect(report.waiting.count == 0)
    #expect(report.conflicts.map(\.conflict.change.table) == ["Part"])
    // The deletion arrives after the child.
    let c = try database(New.models)
    #expect(try send(from: b, to: c).waiting.count == 1)
    let second = try send(from: a, to: c)
    #expect(second.waiting.count == 0)
    #expect(second.conflicts.map(\.conflict.change.table) == ["Part"])
    #expect(try rows(c) == ["job 2 job - 1"] && rows(c) == rows(a))
  }

  @Test("a change with two conflicts that waits in the end is not reported, and its row stays")
  func waitingAfterConflict() throws {
    let (a, b, c) = (try database(New.models), try database(New.models), try database(New.models))
    try a.insert(New.Job(id: 1, title: "one"))
    try send(from: a, to: b)
    try b.insert(New.Part(id: 1, job: 1))
    try c.insert(New.Job(id: 2, title: "two"))
    try c.insert(New.Part(id: 1, job: 2, note: "c"))
    let before = try rows(c)
    let report = try send(from: b, to: c, resolving: .theirs)
    #expect(report.conflicts.isEmpty)
    #expect(report.waiting.reasons == [.parent("Job", table: "Part"): 1])
    let found = try rows(c)
    #expect(found == before)
    let second = try send(from: a, to: c, resolving: .theirs)
    #expect(second.conflicts.map(\.conflict.reason) == [.rowExists])
    #expect(second.conflicts.map(\.wasApplied) == [true] && second.waiting.count == 0)
    let found2 = try rows(c)
    #expect(found2 == ["job 1 one - 1", "job 2 two - 1", "part 1 1 -"])
  }

  @Test("a change that is left out for its second conflict was not applied despite the first")
  func secondConflict() throws {
    let (a, b, c) = (try database(New.models), try database(New.models), try database(New.models))
    try a.insert(New.Job(id: 1, title: "one"))
    try a.insert(New.Part(id: 1, job: 1))
    for db in [b, c] { try send(from: a, to: db) }
    try b.insert(New.Tag(id: 1, part: 1, name: "same"))
    try c.insert(New.Tag(id: 1, part: 1, name: "c"))
    try c.insert(New.Tag(id: 2, part: 1, name: "same"))
    let before = try rows(c)
    let policy = ConflictPolicy { $0.reason == .rowExists ? .apply : .keep }
    let report = try send(from: b, to: c, resolving: policy)
    #expect(report.conflicts.first?.conflict.reason == .rowExists)
    #expect(report.conflicts.map(\.wasApplied) == [false, false])
    let found = try rows(c)
    #expect(found == before)
  }

  @Test("purging keeps what the waiting changes are compared with")
  func purged() throws {
    let (new, old) = (try database(New.models), try database(Old.models))
    try new.insert(New.Job(id: 1, title: "one", color: "red"))
    try send(from: new, to: old)
    for text in ["a", "b"] { try old.execute("UPDATE Job SET title = \(text)") }
    #expect(try old.log.purge(keeping: .init(count: 0)) == 0)
    let later = try updated(old)
    #expect(try rows(later) == ["job 1 b red 1"])
    #expect(try later.log.purge(keeping: .init(count: 0)) > 0)
    #expect(try later.fetch(Int.self, "SELECT count(*) FROM apus_log_waiting") == [0])
  }
}
