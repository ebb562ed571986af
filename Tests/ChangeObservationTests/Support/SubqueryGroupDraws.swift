import QueryDSL
import SQLCore

/// Random groups, totals, distinct rows and unions with subqueries over the tables of `JoinWrites`.
enum SubqueryGroupDraws {
  static let all = [
    DrawnQuery("grouped by key", grouped),
    DrawnQuery("unmarked in groups", unmarkedGroups),
    DrawnQuery("anti-joined groups", antiJoinedGroups),
    DrawnQuery("stars of unmarked", starsOfUnmarked),
    DrawnQuery("totals of a join", totals),
    DrawnQuery("totals of unmarked", totalsOfUnmarked),
    DrawnQuery("different values of a join", differentValues),
    DrawnQuery("different stars of unmarked", differentStars),
    DrawnQuery("distinct", distinct),
    DrawnQuery("union", union),
    DrawnQuery("union all", unionAll),
    DrawnQuery("distinct writers of posts", distinctWriters),
  ]

  @Sendable
  private static func grouped(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String, Int, Int)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post.equals(post.$id) && mark.$weight >= 0)
        if draw.filter == 1 { Where { post.$stars > 1 } }
        GroupBy(post.$id)
        if draw.filter == 2 { Having { mark.$tag.count() > 1 } }
        if draw.filter == 3 { Having { mark.$weight.max() > 1 } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(mark.$tag.count(), draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$title, mark.$tag.count(), mark.$weight.count(distinct: true))
      })
  }

  /// A group of each post, whose children count if they have no mark.
  @Sendable
  private static func unmarkedGroups(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String, Int, Int)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, child: OptionalColumns<JoinPost>) in
        From(post)
        let marks = JoinMark.where { $0.$post.optional.equals(child.$id) }
        LeftJoin(
          child,
          on: child.$parent.equals(post.$id)
            && !(draw.filter == 1 ? marks.where { $0.$tag == "x" } : marks).exists())
        if draw.filter == 2 { Where { post.$stars > 1 } }
        GroupBy(post.$id)
        if draw.filter == 3 { Having { child.$id.count() > 0 } }
        if draw.order == 1 { OrderBy(child.$id.count(), draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(
          post.$id, post.$title, child.$id.count(),
          JoinMark.where { $0.$post == post.$id }.count())
      })
  }

  @Sendable
  private static func antiJoinedGroups(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, Int, Int)> {
    draw.limited(
      Query {
        (
          post: Columns<JoinPost>, child: OptionalColumns<JoinPost>,
          mark: OptionalColumns<JoinMark>
        ) in
        From(post)
        LeftJoin(child, on: child.$parent.equals(post.$id))
        LeftJoin(
          mark,
          on: draw.filter == 1
            ? mark.$post.equals(child.$id) && mark.$tag == "x" : mark.$post.equals(child.$id))
        if draw.filter < 4 { Where { mark.$post == nil } }
        GroupBy(post.$id)
        if draw.filter == 3 { Having { child.$id.count() > 0 } }
        if draw.order == 1 { OrderBy(child.$stars.sum(), draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$stars, child.$id.count())
      })
  }

  @Sendable
  private static func starsOfUnmarked(_ draw: QueryDraw, sorted: Bool) -> Query<(Int, Int, Int64?)>
  {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        let marks = JoinMark.where { $0.$post == post.$id }
        if draw.filter == 1 { Where { marks.exists() } }
        if draw.filter == 2 { Where { !post.$id.isIn(JoinMark.select(\.$post)) } }
        if draw.filter != 1, draw.filter != 2 { Where { !marks.exists() } }
        GroupBy(post.$stars)
        if draw.filter == 3 { Having { post.count() > 1 } }
        if draw.order == 1 { OrderBy(post.count(), draw.direction) }
        if sorted { OrderBy(post.$stars) }
        Select(post.$stars, post.count(), post.$parent.max())
      })
  }

  @Sendable
  private static func totals(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int, Int?, Int?, Double?)> {
    Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
      From(post)
      if draw.filter < 3 {
        LeftJoin(mark, on: mark.$post.equals(post.$id))
      } else {
        Join(mark, on: mark.$post.equals(post.$id) && mark.$weight > 0)
      }
      if draw.filter == 1 { Where { mark.$post == nil } }
      if draw.filter == 4 { Where { post.$stars > 1 } }
      Select(
        post.count(), mark.$weight.count(), mark.$weight.sum(), post.$stars.max() + draw.order,
        mark.$weight.avg())
    }
  }

  @Sendable
  private static func totalsOfUnmarked(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int64?, Int)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      switch draw.filter {
      case 0: Where { !JoinMark.where { $0.$post == post.$id }.exists() }
      case 1: Where { !post.$id.isIn(JoinMark.select(\.$post)) }
      case 2: Where { !post.$parent.isIn(JoinWriter.select(\.$team)) }
      default: Where { JoinMark.where { $0.$post == post.$id && $0.$weight > 0 }.exists() }
      }
      Select(post.count(), post.$parent.min(), post.count().filter(post.$stars > 1))
    }
  }

  @Sendable
  private static func differentValues(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int, Int, Int?)> {
    Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
      From(post)
      if draw.filter < 3 {
        LeftJoin(mark, on: mark.$post.equals(post.$id))
      } else {
        Join(mark, on: mark.$post.equals(post.$id) && mark.$weight > 0)
      }
      if draw.filter == 1 { Where { post.$stars > 1 } }
      Select(
        mark.$post.count(distinct: true), post.$parent.count(distinct: true),
        draw.order == 1 ? mark.$weight.sum() : post.$stars.max())
    }
  }

  @Sendable
  private static func differentStars(_ draw: QueryDraw, sorted: Bool) -> Query<(Int, Int)> {
    Query { (post: Columns<JoinPost>) in
      From(post)
      switch draw.filter {
      case 0: Where { !JoinMark.where { $0.$post == post.$id }.exists() }
      case 1: Where { !post.$id.isIn(JoinMark.select(\.$post)) }
      default: Where { JoinMark.where { $0.$post == post.$id && $0.$weight > 0 }.exists() }
      }
      Select(post.$parent.count(distinct: true), post.count())
    }
  }

  @Sendable
  private static func union(_ draw: QueryDraw, sorted: Bool) -> Query<Int64?> {
    let parents = JoinPost.where {
      if draw.filter == 1 { $0.$stars > 1 }
      if draw.filter == 2 { $0.$parent != nil }
    }.select(\.$parent)
    let teams = JoinWriter.where { writer in
      if draw.filter == 3 { JoinTeam.where { $0.$id.optional.equals(writer.$team) }.exists() }
    }.select(\.$team)
    var union = parents.union(teams)
    if draw.filter == 4 { union = union.union(JoinPost.select { $0.$id.optional }) }
    if draw.order == 1 { union = union.order(byColumn: "parent", draw.direction) }
    if sorted { union = union.order(byColumn: "parent") }
    return draw.limited(union.query)
  }

  // Without an order, the rows of a UNION ALL are in that of their SELECTs and keys.
  @Sendable
  private static func unionAll(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String)> {
    let posts = JoinPost.where { post in
      if draw.filter == 1 { !JoinMark.where { $0.$post == post.$id }.exists() }
    }.select { ($0.$id, $0.$title) }
    let marked = Query { (mark: Columns<JoinMark>, post: Columns<JoinPost>) in
      From(mark)
      Join(post, on: post.$id == mark.$post)
      if draw.filter == 2 { Where { post.$stars > 1 } }
      Select(mark.$post, post.$title)
    }
    let union = posts.unionAll(marked)
      .order(byColumn: "id", draw.direction).order(byColumn: "title")
    return draw.limited(union.query)
  }

  @Sendable
  private static func distinct(_ draw: QueryDraw, sorted: Bool) -> Query<(Int, Int64?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        if draw.filter == 1 { Where { post.$title != "b" } }
        if draw.filter == 2 { Where { JoinMark.where { $0.$post == post.$id }.exists() } }
        if draw.order == 1 { OrderBy(post.$parent, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$stars) }
        if sorted { OrderBy(post.$parent) }
        Select(post.$stars, post.$parent)
      }.distinct())
  }

  @Sendable
  private static func distinctWriters(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String?)> {
    draw.limited(
      Query { (team: Columns<JoinTeam>, writer: Columns<JoinWriter>) in
        From(team)
        Join(writer, on: writer.$team.equals(team.$id))
        if draw.filter == 1 { Where { writer.$score > 0 } }
        if draw.filter == 2 {
          Where { JoinPost.where { $0.$author.equals(writer.$name) }.exists() }
        }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(team.$id) }
        Select(team.$id, team.$title)
      }.distinct())
  }
}
