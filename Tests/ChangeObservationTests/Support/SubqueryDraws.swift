import QueryDSL
import SQLCore

// Models of the tables of `JoinWrites` whose columns are never nil in Swift, although the file may
// have NULL in them. IN has three values with them.

private struct LoosePost: Model {
  static let tableName = "JoinPost"
  @PrimaryKey var id: Int64
  @Column var parent: Int64
  @Column var stars: Int
}

private struct LooseWriter: Model {
  static let tableName = "JoinWriter"
  @PrimaryKey var name: String
  @Column var team: Int64
  var id: String { name }
}

/// Random queries with subqueries over the tables of `JoinWrites`.
enum SubqueryDraws {
  static let all = [
    DrawnQuery("marked", marked),
    DrawnQuery("in marks", inMarks),
    DrawnQuery("in teams, three-valued", inTeams),
    DrawnQuery("in teams", inOptionalTeams),
    DrawnQuery("counts of marks", counts),
    DrawnQuery("unmarked posts of writers", unmarked),
    DrawnQuery("teams in a join", teamsInJoin),
    DrawnQuery("posts without marks", withoutMarks),
    DrawnQuery("posts without writers or teams", withoutTeams),
    DrawnQuery("joined and marked", joined),
    DrawnQuery("compared before a left join", comparedBefore),
    DrawnQuery("the same as a row that may be missing", sameAsMissing),
    DrawnQuery("children", children),
  ]

  @Sendable
  private static func marked(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        let marks = JoinMark.where { $0.$post == post.$id }
        switch draw.filter {
        case 0: Where { marks.exists() }
        case 1: Where { !marks.exists() }
        case 2: Where { !marks.where { $0.$weight > 0 }.exists() }
        case 3: Where { post.$stars > 2 || marks.where { $0.$tag == "x" }.exists() }
        case 4: Where { post.$stars > 2 || !(marks.exists() && post.$title != "b") }
        default: Where { marks.where { $0.$weight < post.$stars }.exists() }
        }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(marks.count(), draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$title)
      })
  }

  @Sendable
  private static func inMarks(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        switch draw.filter {
        case 0: Where { post.$id.isIn(JoinMark.select(\.$post)) }
        case 1: Where { !post.$id.isIn(JoinMark.select(\.$post)) }
        case 2: Where { !post.$id.isIn(JoinMark.where { $0.$tag == "a" }.select(\.$post)) }
        case 3:
          Where { post.$id.isIn(JoinMark.where { $0.$weight == post.$stars }.select(\.$post)) }
        case 4:
          Where { post.$stars == 1 || post.$id.isIn(JoinMark.select(\.$post).distinct()) }
        default:
          Where {
            post.$id.isIn(JoinMark.group(by: \.$post).having { $0.count() > 1 }.select(\.$post))
          }
        }
        if draw.order == 1 { OrderBy(post.$stars, draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$stars)
      })
  }

  @Sendable
  private static func inTeams(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int)> {
    draw.limited(
      Query { (post: Columns<LoosePost>) in
        From(post)
        let teams = LooseWriter.select(\.$team)
        switch draw.filter {
        case 0: Where { post.$parent.isIn(teams) }
        case 1: Where { !post.$parent.isIn(teams) }
        case 2: Where { !post.$parent.isIn(LooseWriter.where { $0.$name == "a" }.select(\.$team)) }
        case 3: Where { !(post.$parent.isIn(teams) && post.$stars > 1) }
        case 4:
          Where { !post.$parent.isIn(LooseWriter.where { $0.$team == post.$id }.select(\.$team)) }
        default: Where { post.$stars > 2 || !post.$id.isIn(teams) }
        }
        if draw.order == 1 { OrderBy(post.$stars, draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$stars)
      })
  }

  @Sendable
  private static func inOptionalTeams(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int64?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        let teams = JoinWriter.select(\.$team)
        switch draw.filter {
        case 0: Where { post.$parent.isIn(teams) }
        case 1: Where { !post.$parent.isIn(teams) }
        case 2: Where { !post.$parent.isIn(JoinWriter.where { $0.$score > 0 }.select(\.$team)) }
        case 3: Where { post.$author.isIn(JoinWriter.select { $0.$name.optional }) }
        case 4: Where { !post.$author.isIn(JoinPost.where { $0.$stars > 1 }.select(\.$author)) }
        default:
          Where { post.$parent.isIn(teams) || !post.$parent.isIn(JoinPost.select(\.$parent)) }
        }
        if draw.order == 1 { OrderBy(post.$parent, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        Select(post.$id, post.$parent)
      })
  }

  @Sendable
  private static func counts(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, Int, Int?, Int?, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        let marks = JoinMark.where { $0.$post == post.$id && $0.$weight > draw.filter - 2 }
        if draw.filter == 1 { Where { marks.count() > 1 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.order == 1 { OrderBy(marks.count(), draw.direction) }
        if draw.order == 2 { OrderBy(post.$title, draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(
          post.$id, marks.count(), marks.select { $0.$weight.sum() }.subquery(),
          marks.select { $0.$weight.min() }.subquery(),
          marks.select { $0.$weight.max() }.subquery())
      })
  }

  /// The unread entries of feeds: the posts of a writer that have no mark of a kind.
  @Sendable
  private static func unmarked(_ draw: QueryDraw, sorted: Bool) -> Query<(String, Int64?, Int)> {
    draw.limited(
      Query { (writer: Columns<JoinWriter>) in
        From(writer)
        let posts = JoinPost.where { post in
          post.$author.equals(writer.$name)
          switch draw.filter {
          case 0: !JoinMark.where { $0.$post == post.$id }.exists()
          case 1: !JoinMark.where { $0.$post == post.$id && $0.$tag == "x" }.exists()
          case 2: !post.$id.isIn(JoinMark.where { $0.$tag == "x" }.select(\.$post))
          case 3: !post.$id.isIn(JoinMark.where { $0.$weight > 0 }.select(\.$post))
          case 4: JoinMark.where { $0.$post == post.$id && $0.$weight == post.$stars }.exists()
          default: post.$stars > 0
          }
        }
        if draw.order == 1 { OrderBy(posts.count(), draw.direction) }
        if draw.order == 2 { OrderBy(writer.$team, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(writer.$name) }
        Select(writer.$name, writer.$team, posts.count())
      })
  }

  @Sendable
  private static func teamsInJoin(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String?)> {
    draw.limited(
      Query { (team: Columns<JoinTeam>) in
        From(team)
        let teams = Query { (writer: Columns<JoinWriter>, post: Columns<JoinPost>) in
          From(writer)
          Join(post, on: post.$author.equals(writer.$name))
          if draw.filter == 1 { Where { post.$stars > 1 } }
          if draw.filter == 2 { Where { JoinMark.where { $0.$post == post.$id }.exists() } }
          if draw.filter == 5 { Where { writer.$team == team.$id.optional } }
          Select(writer.$team)
        }
        if draw.filter < 3 {
          Where { team.$id.optional.isIn(teams) }
        } else {
          Where { !team.$id.optional.isIn(teams) }
        }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(team.$id) }
        Select(team.$id, team.$title)
      })
  }

  @Sendable
  private static func withoutMarks(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        if draw.filter < 3 {
          LeftJoin(mark, on: mark.$post.equals(post.$id))
        } else {
          LeftJoin(mark, on: mark.$post.equals(post.$id) && mark.$weight > 0 && post.$stars > 1)
        }
        if draw.filter == 1 { Where { mark.$post == nil || post.$stars > 2 } }
        if draw.filter == 4 { Where { mark.$tag == nil || mark.$tag == "a" } }
        if draw.filter != 1, draw.filter != 4 { Where { mark.$post == nil } }
        if draw.filter == 5 { Where { post.$title != "b" } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(mark.$weight, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        Select(post.$id, mark.$weight)
      })
  }

  @Sendable
  private static func withoutTeams(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String?)> {
    draw.limited(
      Query {
        (
          post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>,
          team: OptionalColumns<JoinTeam>
        ) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        LeftJoin(team, on: team.$id.equals(writer.$team))
        if draw.filter < 2 { Where { team.$id == nil } }
        if draw.filter == 2 { Where { team.$id == nil && writer.$score == nil } }
        if draw.filter == 3 { Where { writer.$name == nil || team.$title == nil } }
        if draw.filter == 4 {
          Where { !JoinMark.where { $0.$tag.optional.equals(writer.$name) }.exists() }
        }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(post.$id, writer.$name)
      })
  }

  @Sendable
  private static func joined(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String, Int)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 0 { Where { JoinMark.where { $0.$post == post.$id }.exists() } }
        if draw.filter == 1 {
          Where { !JoinTeam.where { $0.$id.optional.equals(writer.$team) }.exists() }
        }
        if draw.filter == 2 { Where { !writer.$team.isIn(JoinTeam.select { $0.$id.optional }) } }
        if draw.filter == 3 {
          Where {
            JoinTeam.where { $0.$id.optional.equals(writer.$team) && $0.$id == post.$id }.exists()
          }
        }
        if draw.order == 1 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(
          post.$id, writer.$name,
          JoinPost.where { $0.$parent.equals(writer.$team) && $0.$stars > 0 }.count())
      })
  }

  /// The condition of the left join compares the tables before it, which says nothing about which of
  /// their rows belong together.
  @Sendable
  private static func comparedBefore(
    _ draw: QueryDraw, sorted: Bool
  ) -> Query<(Int64, String, Int?)> {
    draw.limited(
      Query {
        (post: Columns<JoinPost>, writer: Columns<JoinWriter>, mark: OptionalColumns<JoinMark>) in
        From(post)
        Join(writer, on: writer.$team.equals(post.$parent))
        LeftJoin(mark, on: mark.$post.equals(post.$id) && post.$author.equals(writer.$name))
        let teams = JoinTeam.where { $0.$id.optional.equals(writer.$team) }
        if draw.filter < 3 { Where { teams.exists() } } else { Where { !teams.exists() } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        Select(post.$id, writer.$name, mark.$weight)
      })
  }

  /// NULL of a row that a left join does not find is the same as NULL.
  @Sendable
  private static func sameAsMissing(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, String?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        Where { writer.$team == post.$parent }
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { !JoinMark.where { $0.$post == post.$id }.exists() } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(post.$id, writer.$name)
      })
  }

  @Sendable
  private static func children(_ draw: QueryDraw, sorted: Bool) -> Query<(Int64, Int, String?)> {
    draw.limited(
      Query { (post: Columns<JoinPost>) in
        From(post)
        let children = JoinPost.where { $0.$parent.equals(post.$id) }
        if draw.filter == 1 { Where { children.exists() } }
        if draw.filter == 2 { Where { !children.where { $0.$stars > post.$stars }.exists() } }
        if draw.filter == 3 {
          Where { JoinPost.where { $0.$author == post.$author && $0.$id > post.$id }.exists() }
        }
        if draw.filter == 4 {
          Where { !JoinPost.where { $0.$author == post.$author && $0.$stars > 2 }.exists() }
        }
        if draw.order == 1 { OrderBy(children.count(), draw.direction) }
        if sorted { OrderBy(post.$id) }
        Select(
          post.$id, children.count(),
          JoinPost.where { $0.$id.optional.equals(post.$parent) }.select(\.$title).subquery())
      })
  }
}
