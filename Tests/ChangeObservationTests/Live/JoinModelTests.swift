import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained joins compared with fresh fetches")
struct JoinModelTests {
  @Test("after each transaction a join equals a fresh fetch, and the difference leads to it")
  func exact() async throws {
    try await compareDrawn(JoinDraws.all, rounds: TestSize.count(small: 4, full: 10, long: 1_800))
  }
}

/// Random joins of the tables of `JoinWrites`.
private enum JoinDraws {
  static let all = [
    DrawnQuery("writer", writer),
    DrawnQuery("left writer", leftWriter),
    DrawnQuery("left team", leftTeam),
    DrawnQuery("writer, left team", mixed),
    DrawnQuery("posts of teams", teams),
    DrawnQuery("marks", marks),
    DrawnQuery("posts of marks", marked),
    DrawnQuery("parents", parents),
    DrawnQuery("all pairs", pairs),
    DrawnQuery("all tables", tables),
  ]

  @Sendable
  private static func writer(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String, Double?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        if draw.filter == 3 { Where { writer.$score == nil || post.$title == "b" } }
        if draw.filter == 4 { Where { writer.$team == 2 } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if draw.order == 3 { OrderBy(post.$stars * 2 + 1, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(post.$id, writer.$name, writer.$score)
      })
  }

  @Sendable
  private static func leftWriter(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String, Double?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        if draw.filter == 3 { Where { writer.$score == nil } }
        if draw.filter == 4 { Where { writer.$name == "a" || writer.$team == 1 } }
        if draw.filter == 5 { Where { post.$parent == nil } }
        if draw.order == 1 { OrderBy(writer.$name, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction) }
        if draw.order == 3 { OrderBy(post.$title.collated(.noCase), draw.direction) }
        if draw.order == 4 { OrderBy(post.$title.collated(.noCase).trim(), draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(post.$id, post.$title, writer.$score)
      })
  }

  @Sendable
  private static func leftTeam(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Double?, String?)> {
    draw.limited(
      Query {
        (
          post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>,
          team: OptionalColumns<JoinTeam>
        ) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        if draw.filter < 4 {
          LeftJoin(team, on: team.$id.equals(writer.$team))
        } else {
          // Teams also match posts without a writer.
          LeftJoin(team, on: team.$id.equals(post.$parent) && writer.$team == nil)
        }
        if draw.filter == 1 { Where { post.$stars < 3 } }
        if draw.filter == 2 { Where { team.$title == "a" } }
        if draw.filter == 3 { Where { team.$title == nil } }
        if draw.filter == 5 { Where { team.$title == "b" } }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(post.$title, writer.$score, team.$title)
      })
  }

  @Sendable
  private static func mixed(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String?)> {
    draw.limited(
      Query {
        (
          post: Columns<JoinPost>, writer: Columns<JoinWriter>,
          team: OptionalColumns<JoinTeam>
        ) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name) && post.$stars > 0)
        LeftJoin(team, on: team.$id.equals(writer.$team) && team.$title != "b")
        if draw.filter == 1 { Where { writer.$score < 2 } }
        if draw.filter == 2 { Where { team.$title.like("a%") } }
        if draw.filter == 3 { Where { post.$title.isIn(["a", "B"]) } }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(post.$stars, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(post.$id, team.$title)
      })
  }

  @Sendable
  private static func teams(_ draw: QueryDraw, sorted: Bool) -> Query<(String?, String?, Int64?)> {
    draw.limited(
      Query {
        (
          team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>,
          post: OptionalColumns<JoinPost>
        ) in
        From(team)
        LeftJoin(writer, on: writer.$team.equals(team.$id))
        LeftJoin(post, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 0 } }
        if draw.filter == 2 { Where { writer.$score > -1 } }
        if draw.filter == 3 { Where { team.$title != "b" } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(team.$title, draw.direction) }
        if sorted { OrderBy(team.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(post.$id) }
        Select(team.$title, writer.$name, post.$id)
      })
  }

  @Sendable
  private static func marks(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post.equals(post.$id))
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.filter == 3 { Where { mark.$tag == nil } }
        if draw.order == 1 { OrderBy(mark.$weight, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(mark.$tag, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        Select(post.$id, mark.$weight)
      })
  }

  @Sendable
  private static func marked(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, String, Double?)> {
    draw.limited(
      Query {
        (
          mark: Columns<JoinMark>, post: Columns<JoinPost>,
          writer: OptionalColumns<JoinWriter>
        ) in
        From(mark)
        Join(post, on: post.$id == mark.$post)
        LeftJoin(writer, on: writer.$name.equals(post.$author))
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.filter == 3 { Where { writer.$score != nil } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(mark.$tag, post.$title, writer.$score)
      })
  }

  @Sendable
  private static func parents(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int64?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, parent: OptionalColumns<JoinPost>) in
        From(post)
        LeftJoin(parent, on: parent.$id.equals(post.$parent))
        if draw.filter == 1 { Where { parent.$stars > 0 } }
        if draw.filter == 2 { Where { post.$stars > 0 } }
        if draw.order == 1 { OrderBy(parent.$title, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(parent.$id) }
        Select(post.$id, parent.$id)
      })
  }

  @Sendable
  private static func pairs(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String)> {
    draw.limited(
      Query { (team: Columns<JoinTeam>, writer: Columns<JoinWriter>) in
        From(team)
        CrossJoin(writer)
        if draw.filter == 1 { Where { writer.$team.equals(team.$id) } }
        if sorted { OrderBy(team.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(team.$id, writer.$name)
      })
  }

  @Sendable
  private static func tables(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, String?, Double?, String?)> {
    draw.limited(
      Query {
        (
          mark: Columns<JoinMark>, post: OptionalColumns<JoinPost>,
          writer: OptionalColumns<JoinWriter>, team: OptionalColumns<JoinTeam>
        ) in
        From(mark)
        LeftJoin(post, on: post.$id.equals(mark.$post))
        LeftJoin(writer, on: writer.$name.equals(post.$author))
        LeftJoin(team, on: team.$id.equals(writer.$team))
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.filter == 3 { Where { team.$title == "a" || writer.$score > 0 } }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(mark.$weight, post.$title, writer.$score, team.$title)
      })
  }
}
