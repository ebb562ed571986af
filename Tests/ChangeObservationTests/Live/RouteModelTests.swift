import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Queries that are woken by values, compared with fresh fetches")
struct RouteModelTests {
  @Test("after each transaction every query whose result changed has been woken")
  func exact() async throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for round in 0..<TestSize.count(small: 4, full: 40, long: 1_500) {
      try await compare(&random, "seed \(seed), round \(round)")
    }
  }

  private func compare(_ random: inout SeededGenerator, _ place: String) async throws {
    var writes = JoinWrites(seed: random.next())
    var configuration = Configuration.relaxed
    configuration.prepareConnection = { try $0.execute("PRAGMA automatic_index = OFF") }
    let db = try Database.temporary(configuration: configuration)
    let schema = writes.schema()
    try await db.execute(SQL(unsafe: schema))
    for _ in 0..<20 { try? await db.execute(SQL(unsafe: writes.statement())) }
    var comparisons: [Comparison] = []
    for query in RoutedQuery.all {
      for _ in 0..<2 {
        let values = RoutedQuery.Values(using: &random)
        comparisons.append(try query.compare(values, db))
      }
    }
    // From a certain number of observers on, those of joined values are looked for.
    for query in RoutedQuery.all.shuffled(using: &random).prefix(3) {
      for number in 0..<20 {
        var values = RoutedQuery.Values(using: &random)
        values.number = Int64(number)
        comparisons.append(try query.compare(values, db))
      }
    }
    for comparison in comparisons { try await comparison.check(place) }
    for unit in 0..<30 {
      let statements = writes.transaction() + (writes.chance(20) ? [writes.oddValue()] : [])
      let place = "\(place), unit \(unit) of \(schema): \(statements)"
      if writes.chance(5) { try writes.changeElsewhere(db) }
      try await db.writeWithoutTransaction { connection in
        try connection.execute("BEGIN")
        for statement in statements { try? connection.execute(SQL(unsafe: statement)) }
        do { try connection.execute("COMMIT") } catch { try connection.execute("ROLLBACK") }
      }
      if writes.chance(20) { try? await writes.writeModels(in: db) }
      if writes.chance(30) { continue }
      for comparison in comparisons { try await comparison.check(place) }
    }
  }
}

extension JoinWrites {
  /// Returns a statement that stores a value of another type than the column's, where the table
  /// allows that, and the model does not read it.
  fileprivate mutating func oddValue() -> String {
    let value = pick(["1", "1.0", "'1'", "'1.0'", "x'31'", "NULL", "' 1'", "2.5", "'a' || char(0)"])
    return pick([
      "UPDATE JoinPost SET author = \(value) WHERE id = \(number(1...14))",
      "UPDATE JoinPost SET parent = \(value) WHERE id = \(number(1...14))",
      "UPDATE JoinWriter SET team = \(value) WHERE team = \(number(1...4))",
      "UPDATE JoinWriter SET score = \(value) WHERE team = \(number(1...4))",
    ])
  }
}

/// The posts with values of other types than their columns have.
private struct LoosePost: Model {
  static let tableName = "JoinPost"
  @PrimaryKey var id: Int64
  @Column var author: Int64?
  @Column var parent: String?
}

/// A query over the tables of `JoinWrites` with some bound values. It reads only columns whose values
/// are of the model's types.
private struct RoutedQuery: Sendable {
  struct Values {
    var number: Int64
    let other: Int64
    let text: String
    let score: Double

    init(using random: inout some RandomNumberGenerator) {
      number = Int64.random(in: 0...5, using: &random)
      other = Int64.random(in: 1...9, using: &random)
      text = ["a", "A", "b", "b ", "é", "1", ""].randomElement(using: &random) ?? ""
      score = [0, 1, 1.5, 2].randomElement(using: &random) ?? 0
    }
  }

  let compare: @Sendable (Values, Database) throws -> Comparison

  init<Q: Fetchable>(_ name: String, _ query: @escaping @Sendable (Values) -> Q) {
    compare = { values, db in
      Comparison("\(name) \(values)", query(values), sorted: query(values), in: db)
    }
  }

  static let all = [
    RoutedQuery("number") { v in
      JoinPost.where { $0.$parent == v.number }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("number of a key") { v in
      JoinMark.where { $0.$post == v.number }.order(by: \.$tag).select { ($0.$tag, $0.$weight) }
    },
    RoutedQuery("text") { v in
      JoinPost.where { $0.$author == v.text }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("text of a key") { v in
      JoinWriter.where { $0.$name == v.text }.select { $0.count() }
    },
    RoutedQuery("real") { v in
      JoinWriter.where { $0.$score == v.score }.select { $0.count() }
    },
    RoutedQuery("number for a text") { v in
      LoosePost.where { $0.$author == v.number }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("text for a number") { v in
      LoosePost.where { $0.$parent == "\(v.number)" || $0.$parent.isIn(["\(v.other)", " 1"]) }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("list") { v in
      JoinPost.where { $0.$stars.isIn([Int(v.number), Int(v.other)]) }.order(by: \.$id)
        .select(\.$id)
    },
    RoutedQuery("optional list") { v in
      JoinPost.where { $0.$author.isIn([v.text, nil]) || $0.$parent.isIn([v.number, v.other]) }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("either") { v in
      JoinPost.where { $0.$parent == v.number || $0.$author == v.text && $0.$stars > 0 }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("either with another column") { v in
      JoinPost.where { ($0.$parent == v.number || $0.$stars > 3) && $0.$title != "a" }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("not") { v in
      JoinPost.where { !($0.$parent == v.number) && $0.$stars == Int(v.other) }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("between and case") { v in
      JoinPost.where {
        $0.$stars.between(0, and: 3)
          && Case(when: $0.$stars == 1 && $0.$stars == Int(v.other), then: 1).else(0) == 1
          || $0.$parent == v.number
      }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("range") { v in
      JoinPost.where { $0.$stars >= Int(v.number) && $0.$stars < Int(v.other) }.order(by: \.$id)
        .select(\.$id)
    },
    RoutedQuery("between") { v in
      JoinPost.where { $0.$parent.between(v.number, and: v.number + 1) && $0.$author == v.text }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("range of texts") { v in
      JoinPost.where { $0.$author > v.text || $0.$title <= v.text }.order(by: \.$id)
        .select(\.$id)
    },
    RoutedQuery("range of reals") { v in
      JoinWriter.where { $0.$score > v.score }.select { $0.count() }
    },
    RoutedQuery("texts for a range of numbers") { v in
      LoosePost.where { $0.$parent >= "\(v.number)" || $0.$parent < v.text }.order(by: \.$id)
        .select(\.$id)
    },
    RoutedQuery("no row in a range") { v in
      JoinPost.where { post in
        !JoinMark.where { $0.$post == post.$id && $0.$weight > Int(v.number) }.exists()
      }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("joined by a range") { v in
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post == post.$id && mark.$weight >= Int(v.number))
        Where(post.$stars <= Int(v.other))
        OrderBy(post.$id)
        OrderBy(mark.$tag)
        Select(post.$id, mark.$tag)
      }
    },
    RoutedQuery("nil") { v in
      JoinPost.where { $0.$parent == Int64?.none && $0.$author == v.text }.order(by: \.$id)
        .select(\.$id)
    },
    RoutedQuery("counted") { v in
      JoinTeam.where { $0.$id == v.number }.select { team in
        (
          team.$id,
          JoinWriter.where { writer in
            writer.$team == team.$id
              && !JoinPost.where {
                $0.$author == writer.$name.optional && $0.$stars == Int(v.other)
              }
              .exists()
          }.select { $0.count() }.subquery()
        )
      }
    },
    RoutedQuery("joined") { v in
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post == post.$id && mark.$tag == v.text)
        Where(mark.$post == nil && post.$stars == Int(v.number))
        GroupBy(post.$stars)
        Select(post.$stars, post.count())
      }
    },
    RoutedQuery("left side") { v in
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post == post.$id && post.$stars == Int(v.number))
        OrderBy(post.$id)
        OrderBy(mark.$tag)
        Select(post.$id, mark.$weight)
      }
    },
    RoutedQuery("existing") { v in
      JoinPost.where { post in
        !JoinMark.where { $0.$post == post.$id && $0.$tag == v.text }.exists()
      }.group(by: \.$stars).order(by: \.$stars).select { ($0.$stars, $0.count()) }
    },
    RoutedQuery("listed") { v in
      JoinPost.where { !$0.$id.isIn(JoinMark.where { $0.$tag == v.text }.select(\.$post)) }
        .order(by: \.$id).select(\.$id)
    },
    RoutedQuery("listed, with NULL") { v in
      JoinTeam.where { team in
        !team.$id.optional.isIn(JoinWriter.where { $0.$score == v.score }.select(\.$team))
      }.order(by: \.$id).select(\.$id)
    },
    RoutedQuery("listed without NULL") { v in
      JoinWriter.where { $0.$name.isIn(JoinMark.where { $0.$post == v.other }.select(\.$tag)) }
        .select { $0.count() }
    },
    RoutedQuery("union") { v in
      JoinPost.where { $0.$parent == v.number }.select(\.$id)
        .union(JoinMark.where { $0.$tag == v.text }.select(\.$post)).order(byColumn: "id")
    },
    RoutedQuery("two of one table") { v in
      Query { (post: Columns<JoinPost>, parent: Columns<JoinPost>) in
        From(post)
        Join(parent, on: parent.$id.optional == post.$parent)
        Where(parent.$author == v.text && post.$stars == Int(v.number))
        OrderBy(post.$id)
        Select(post.$id, parent.$stars)
      }
    },
    RoutedQuery("posts of a team") { v in
      Query { (writer: Columns<JoinWriter>, post: Columns<JoinPost>) in
        From(writer)
        Join(post, on: post.$author.equals(writer.$name))
        Where(writer.$team == v.number)
        OrderBy(post.$id)
        Select(post.$id, post.$stars)
      }
    },
    RoutedQuery("marks of a team") { v in
      Query {
        (
          mark: OptionalColumns<JoinMark>, post: Columns<JoinPost>, writer: Columns<JoinWriter>
        ) in
        From(writer)
        Join(post, on: post.$author.equals(writer.$name))
        LeftJoin(mark, on: mark.$post.equals(post.$id))
        Where(writer.$team.isIn([v.number, 2]))
        OrderBy(post.$id)
        OrderBy(mark.$tag)
        Select(post.$id, mark.$weight)
      }
    },
    RoutedQuery("posts of writers of a team, counted") { v in
      JoinWriter.where { $0.$team == v.number }.order(by: \.$name).select { writer in
        (
          writer.$team,
          JoinPost.where { $0.$author.equals(writer.$name) && $0.$stars > 0 }
            .select { $0.count() }.subquery()
        )
      }
    },
    RoutedQuery("parents of an author") { v in
      Query { (post: Columns<JoinPost>, parent: Columns<JoinPost>) in
        From(post)
        Join(parent, on: post.$parent.equals(parent.$id))
        Where(parent.$stars == Int(v.number))
        OrderBy(post.$id)
        Select(post.$id)
      }
    },
    RoutedQuery("raw SQL") { v in
      JoinPost.where {
        $0.$stars == Int(v.number)
          && SQLPredicate(
            sql: "EXISTS (SELECT 1 FROM JoinPost p WHERE p.stars = 1 AND p.id > \(v.other))")
      }.order(by: \.$id).select(\.$id)
    },
  ]
}
