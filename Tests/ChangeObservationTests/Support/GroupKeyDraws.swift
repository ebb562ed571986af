import QueryDSL
import SQLCore

/// Returns a column by which a query groups, as a maintained result shows it: the least spelling in
/// the group. A fresh fetch selects that itself, since SQLite would give any of them.
func spelling(_ column: SQLExpression<String?>, _ sorted: Bool) -> SQLExpression<String?> {
  sorted ? column.collated(.binary).min() : column
}

/// Returns a column whose least and greatest texts are shown, for a fresh fetch compared by bytes.
/// SQLite would give any of the texts that a collation considers equal, and the query would run again.
func bytes(_ column: SQLExpression<String>, _ sorted: Bool) -> SQLExpression<String> {
  sorted ? column.collated(.binary) : column
}

/// Random groups by texts whose collation takes several for equal, by numbers that are equal without
/// being the same, and by expressions over a join.
enum GroupKeyDraws {
  static let all = [
    DrawnQuery("titles", titles),
    DrawnQuery("authors without case", authorsWithoutCase),
    DrawnQuery("scores without sign", scoresWithoutSign),
    DrawnQuery("types of scores", typesOfScores),
    DrawnQuery("thirds of scores", thirds),
    DrawnQuery("initials of teams", initials),
    DrawnQuery("scores of teams", scoresOfTeams),
    DrawnQuery("folded authors", foldedAuthors),
    DrawnQuery("titles of marks", titlesOfMarks),
    DrawnQuery("number of titles", numberOfTitles),
    DrawnQuery("number of scores", numberOfScores),
  ]

  @Sendable
  private static func titles(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        if draw.filter == 1 { Where { post.$stars > 1 } }
        GroupBy(post.$title)
        if draw.filter == 2 { Having { post.count() > 1 } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(post.count(), draw.direction) }
        if sorted { OrderBy(post.$title) }
        Select(
          spelling(post.$title.optional, sorted).nonOptional(), post.count(), post.$stars.sum())
      })
  }

  @Sendable
  private static func authorsWithoutCase(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String?, Int64?, Int)> {
    let author = { (post: Columns<JoinPost>) in
      post.$author.collated(draw.order < 3 ? .noCase : .trimmed)
    }
    return Query { (post: Columns<JoinPost>) in
      From(post)
      if draw.filter == 1 { Where { post.$title != "b" } }
      GroupBy(author(post), post.$parent)
      if draw.order == 1 { OrderBy(author(post), draw.direction, nulls: draw.nulls) }
      if sorted { OrderBy(author(post)) }
      if sorted { OrderBy(post.$parent) }
      Select(spelling(author(post), sorted), post.$parent, post.count())
    }
  }

  // Where a group has 1 and 1.0, max() makes SQLite show the type of the row with the greatest name,
  // in whatever order it reads the rows.

  @Sendable
  private static func scoresWithoutSign(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int, String?)> {
    Query { (writer: Columns<JoinWriter>) in
      From(writer)
      if draw.filter == 1 { Where { writer.$team == 1 } }
      GroupBy(writer.$score.abs())
      if sorted { OrderBy(writer.$score.abs()) }
      Select(
        writer.$score.abs().typeof(), writer.count(), writer.$name.collated(.binary).max())
    }
  }

  @Sendable
  private static func typesOfScores(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int, String?)> {
    Query { (writer: Columns<JoinWriter>) in
      From(writer)
      if draw.filter == 1 { Where { writer.$team == 1 } }
      GroupBy(writer.$score)
      if sorted { OrderBy(writer.$score) }
      Select(writer.$score.typeof(), writer.count(), writer.$name.collated(.binary).max())
    }
  }

  @Sendable
  private static func thirds(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Double?, Int, Double?)> {
    Query { (writer: Columns<JoinWriter>) in
      From(writer)
      GroupBy(writer.$score / 3)
      if draw.order == 1 { OrderBy(writer.$score / 3, draw.direction) }
      if sorted { OrderBy(writer.$score / 3) }
      Select((writer.$score / 3) * 0.1, writer.count(), writer.$score.max())
    }
  }

  @Sendable
  private static func initials(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String?, Int, Double?)> {
    draw.limited(
      Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
        From(team)
        LeftJoin(writer, on: writer.$team.equals(team.$id))
        if draw.filter == 1 { Where { team.$title != "b" } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        GroupBy(team.$id, writer.$name.lower())
        if draw.filter == 3 { Having { writer.$name.count() > 1 } }
        if draw.order == 1 { OrderBy(writer.$name.lower(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(team.$id) }
        if sorted { OrderBy(writer.$name.lower()) }
        Select(team.$id, writer.$name.lower(), writer.$name.count(), writer.$score.max())
      })
  }

  @Sendable
  private static func scoresOfTeams(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String, Int64, Int, String?)> {
    Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
      From(team)
      LeftJoin(writer, on: writer.$team.equals(team.$id))
      if draw.filter == 1 { Where { writer.$score > 0 } }
      GroupBy(writer.$score.ifNull(1).abs(), team.$id)
      if draw.order == 1 { OrderBy(team.count(), draw.direction) }
      if sorted { OrderBy(writer.$score.ifNull(1).abs()) }
      if sorted { OrderBy(team.$id) }
      Select(
        writer.$score.ifNull(1).abs().typeof(), team.$id, team.count(),
        writer.$name.collated(.binary).max())
    }
  }

  @Sendable
  private static func foldedAuthors(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(String?, Int, Double?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        GroupBy(post.$author.lower())
        if draw.order == 1 { OrderBy(post.count(), draw.direction) }
        if sorted { OrderBy(post.$author.lower()) }
        Select(post.$author.lower(), post.count(), writer.$score.max())
      })
  }

  @Sendable
  private static func titlesOfMarks(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String?, Int)> {
    draw.limited(
      Query { (mark: Columns<JoinMark>, post: OptionalColumns<JoinPost>) in
        From(mark)
        LeftJoin(post, on: post.$id.equals(mark.$post) && post.$stars > 0)
        GroupBy(mark.$post, post.$title)
        if draw.filter == 1 { Having { mark.count() > 1 } }
        if draw.order == 1 { OrderBy(mark.$weight.sum(), draw.direction) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(post.$title) }
        Select(mark.$post, spelling(post.$title, sorted), mark.count())
      })
  }

  @Sendable
  private static func numberOfTitles(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int, Int?, Int)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      if draw.filter == 1 { Where { post.$stars > 1 } }
      Select(
        post.$title.count(distinct: true),
        post.$author.collated(draw.order == 1 ? .noCase : .binary).count(distinct: true)
          .filter(draw.filter == 2 ? post.$stars > 1 : post.$id != 0),
        post.$stars.sum(), post.$parent.count(distinct: true) * 2)
    }
  }

  @Sendable
  private static func numberOfScores(_ draw: QueryDraw, sorted: Bool) -> Query<Int> {
    Query { (writer: Columns<JoinWriter>) in
      From(writer)
      if draw.filter == 1 { Where { writer.$team == 1 } }
      Select(
        draw.filter == 2
          ? (writer.$score / 3).count(distinct: true) : writer.$score.count(distinct: true))
    }
  }
}
