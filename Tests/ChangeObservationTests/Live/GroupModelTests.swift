import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained groups and aggregates compared with fresh fetches")
struct GroupModelTests {
  @Test("after each transaction the groups equal a fresh fetch, and the difference leads to them")
  func exact() async throws {
    try await compareDrawn(
      GroupDraws.all + GroupKeyDraws.all,
      rounds: TestSize.count(small: 4, full: 10, long: 1_500))
  }
}

/// Random groups and aggregates over the tables of `JoinWrites` and their joins.
private enum GroupDraws {
  static let all = [
    DrawnQuery("stars", stars),
    DrawnQuery("teams of writers", writers),
    DrawnQuery("authors", authors),
    DrawnQuery("all posts", all),
    DrawnQuery("extremes", extremes),
    DrawnQuery("scores", scores),
    DrawnQuery("pairs", pairs),
    DrawnQuery("writers of teams", teams),
    DrawnQuery("marks of posts", marks),
    DrawnQuery("posts of marks", marked),
    DrawnQuery("stars of writers", starsOfWriters),
    DrawnQuery("children", children),
    DrawnQuery("existing writers", existingWriters),
    DrawnQuery("existing parents", existingParents),
    DrawnQuery("halves of stars", halves),
    DrawnQuery("folded titles", foldedTitles),
  ]

  @Sendable
  private static func stars(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int, Int64?, String?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        if draw.filter == 1 { Where { post.$title != "b" } }
        if draw.filter == 2 { Where { post.$parent > 4 } }
        GroupBy(post.$stars)
        if draw.filter == 3 { Having { post.count() > 2 } }
        if draw.filter == 4 { Having { post.$stars > 0 && post.$parent.sum() < 20 } }
        if draw.order == 1 { OrderBy(post.count(), draw.direction) }
        if draw.order == 2 { OrderBy(post.$parent.sum() * 2, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$stars) }
        Select(
          post.$stars, post.count() * 10, post.$parent.sum(),
          bytes(post.$title, sorted).min())
      })
  }

  @Sendable
  private static func writers(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64?, Int, Double?, Double?)> {
    draw.limited(
      Query { (writer: Columns<JoinWriter>) in
        From(writer)
        if draw.filter == 1 { Where { writer.$score > 0 } }
        GroupBy(writer.$team)
        if draw.filter == 2 { Having { writer.$score.sum() > 0 } }
        if draw.order == 1 { OrderBy(writer.$team, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score.max(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(writer.$team) }
        Select(writer.$team, writer.count(), writer.$score.sum(), writer.$score.avg())
      })
  }

  @Sendable
  private static func authors(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String?, Int, Int?, Double?)> {
    let many = { (post: Columns<JoinPost>) in
      post.count().filter(post.$stars > 1).as("many")
    }
    return draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        if draw.filter == 1 { Where { post.$author != nil } }
        GroupBy(post.$author)
        if draw.filter == 2 { Having { post.$stars.max() > 2 } }
        if draw.order == 1 { OrderBy(many(post), draw.direction) }
        if draw.order == 2 { OrderBy(post.$stars.avg(), draw.direction) }
        if sorted { OrderBy(post.$author) }
        Select(
          spelling(post.$author, sorted), many(post), post.$stars.max(), post.$stars.avg())
      })
  }

  @Sendable
  private static func all(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int, Int?, Double?, Int64?)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      if draw.filter == 1 { Where { post.$stars > 1 } }
      if draw.filter == 2 { Where { post.$author == "a" } }
      if draw.filter == 3 { Where { post.$title.like("a%") && post.$parent != nil } }
      Select(
        post.count(), post.$parent.count(), post.$stars.sum(), post.$stars.avg(),
        post.$parent.max().ifNull(0) + 1)
    }.map { ($0, $1, $2, $3, $4) }
  }

  @Sendable
  private static func extremes(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String?, String?, Int?, Int)> {
    Query { (mark: Columns<JoinMark>) in
      From(mark)
      if draw.filter == 1 { Where { mark.$weight > 0 } }
      if draw.filter == 2 { Having { mark.count() > 3 } }
      Select(
        bytes(mark.$tag, sorted).min(), bytes(mark.$tag, sorted).max(), mark.$weight.min(),
        mark.count().filter(mark.$weight == 1))
    }
  }

  @Sendable
  private static func scores(_ draw: QueryDraw, sorted: Bool) -> Query<(Int, Double?)> {
    Query { (writer: Columns<JoinWriter>) in
      From(writer)
      if draw.filter == 1 { Where { writer.$team == 1 } }
      Select(writer.count(), writer.$score.max())
    }
  }

  @Sendable
  private static func pairs(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64?, Int, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        if draw.filter == 1 { Where { post.$id > 4 } }
        GroupBy(post.$parent, post.$stars)
        if draw.filter == 2 { Having { post.count() == 1 } }
        if draw.order == 1 { OrderBy(post.$parent, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$parent) }
        if sorted { OrderBy(post.$stars) }
        Select(
          post.$parent, post.$stars, post.count(),
          post.$stars.sum().filter(post.$title == "a"))
      })
  }

  @Sendable
  private static func teams(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, Int, Double?)> {
    draw.limited(
      Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
        From(team)
        LeftJoin(writer, on: writer.$team.equals(team.$id))
        if draw.filter == 1 { Where { team.$title != "b" } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        GroupBy(team.$id)
        if draw.filter == 3 { Having { writer.$name.count() > 0 } }
        if draw.order == 1 { OrderBy(writer.$score.max(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(team.$id) }
        Select(team.$id, writer.$name.count(), writer.$score.avg())
      })
  }

  @Sendable
  private static func marks(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post.equals(post.$id) && mark.$weight > 0)
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { mark.$tag == nil } }
        GroupBy(post.$id)
        if draw.filter == 3 { Having { mark.$weight.sum() > 1 } }
        if draw.order == 1 { OrderBy(mark.$weight.sum(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, mark.$weight.count(), mark.$weight.sum())
      })
  }

  @Sendable
  private static func marked(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int, String?)> {
    draw.limited(
      Query { (mark: Columns<JoinMark>, post: Columns<JoinPost>) in
        From(mark)
        Join(post, on: post.$id == mark.$post)
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        GroupBy(mark.$post)
        if draw.filter == 2 { Having { post.$stars.sum() > 2 } }
        if draw.order == 1 { OrderBy(mark.count(), draw.direction) }
        if sorted { OrderBy(mark.$post) }
        Select(mark.$post, mark.count(), bytes(post.$title, sorted).max())
      })
  }

  @Sendable
  private static func starsOfWriters(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int, Int?)> {
    draw.limited(
      Query { (writer: Columns<JoinWriter>, post: OptionalColumns<JoinPost>) in
        From(writer)
        LeftJoin(post, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        GroupBy(writer.$name)
        if sorted { OrderBy(writer.$name) }
        Select(
          spelling(writer.$name.optional, sorted).nonOptional(), post.$id.count(), post.$stars.sum()
        )
      })
  }

  @Sendable
  private static func children(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, child: OptionalColumns<JoinPost>) in
        From(post)
        LeftJoin(child, on: child.$parent.equals(post.$id))
        if draw.filter == 1 { Where { post.$stars > 0 } }
        GroupBy(post.$id)
        if draw.order == 1 { OrderBy(child.$stars.sum(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, child.$id.count(), child.$stars.max())
      })
  }

  @Sendable
  private static func existingWriters(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String?, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
        From(post)
        LeftJoin(writer, on: writer.$name.equals(post.$author))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        GroupBy(writer.$name)
        if draw.filter == 2 { Having { post.count() > 1 } }
        if draw.order == 1 { OrderBy(post.count(), draw.direction) }
        if sorted { OrderBy(writer.$name) }
        Select(spelling(writer.$name, sorted), post.count(), post.$stars.sum())
      })
  }

  @Sendable
  private static func existingParents(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64?, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, parent: OptionalColumns<JoinPost>) in
        From(post)
        LeftJoin(parent, on: parent.$id.equals(post.$parent) && parent.$stars > 0)
        GroupBy(parent.$id)
        if draw.filter == 1 { Having { post.$stars.max() > 2 } }
        if draw.order == 1 { OrderBy(parent.$id, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(parent.$id) }
        Select(parent.$id, post.count(), post.$stars.max())
      })
  }

  @Sendable
  private static func halves(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int64?, Int, Int64?)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      if draw.filter == 1 { Where { post.$title != "b" } }
      GroupBy(post.$stars / 2, post.$parent)
      if draw.filter == 2 { Having { post.count() > 1 } }
      if draw.order == 1 { OrderBy(post.count(), draw.direction) }
      if draw.order == 2 { OrderBy(post.$stars / 2 + 1, draw.direction) }
      if sorted { OrderBy(post.$stars / 2) }
      if sorted { OrderBy(post.$parent) }
      Select((post.$stars / 2) * 3, post.$parent, post.count(), post.$id.max())
    }
  }

  @Sendable
  private static func foldedTitles(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int, Int?)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      if draw.filter == 1 { Where { post.$stars > 1 } }
      GroupBy(post.$title.lower())
      if draw.order == 1 { OrderBy(post.$stars.sum(), draw.direction) }
      if draw.order == 2 { OrderBy(post.$title.lower(), draw.direction) }
      if sorted { OrderBy(post.$title.lower()) }
      Select(post.$title.lower(), post.count(), post.$stars.sum())
    }
  }
}
