import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained queries with included rows compared with fresh fetches")
struct IncludingModelTests {
  @Test("after each transaction parents and children equal a fresh fetch, and the difference leads")
  func exact() async throws {
    try await compareDrawn(
      IncludingDraws.all, rounds: TestSize.count(small: 4, full: 10, long: 1_500))
  }
}

/// Random queries with included rows over the tables of `JoinWrites`.
private enum IncludingDraws {
  static let all = [
    DrawnQuery("writers with posts", posts), DrawnQuery("teams with writers", writers),
    DrawnQuery("teams with writers with posts", nested), DrawnQuery("posts with marks", marks),
    DrawnQuery("posts with replies", replies), DrawnQuery("posts with all", several),
    DrawnQuery("posts through marks to writers", through),
    DrawnQuery("writers through marks to posts with replies", back),
  ]

  private static func orderedPosts(
    _ query: TableQuery<JoinPost, JoinPost>, _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinPost, JoinPost> {
    var query = query
    switch draw.order {
    case 1: query = query.order(by: \.$title, draw.direction)
    case 2: query = query.order(by: \.$parent, draw.direction, nulls: draw.nulls)
    case 3: query = query.order { ($0.$stars - 2) * ($0.$stars - 2) }
    default: break
    }
    return sorted ? query.order(by: \.$id) : query
  }

  /// The posts as children.
  private static func children(
    _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinPost, JoinPost> {
    var query = JoinPost.all
    switch draw.filter {
    case 1: query = query.where { $0.$stars > 1 }
    case 2: query = query.where { $0.$title.like("a%") }
    default: break
    }
    let ordered = orderedPosts(query, draw, sorted)
    return draw.filter.isMultiple(of: 2) ? ordered.limit(draw.limit.map { $0 % 4 }) : ordered
  }

  /// The posts as parents.
  private static func parents(
    _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinPost, JoinPost> {
    let query =
      draw.filter == 3 ? JoinPost.where { $0.$parent == nil || $0.$stars > 1 } : JoinPost.all
    return draw.limited(orderedPosts(query, draw, sorted))
  }

  private static func writers(
    _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinWriter, JoinWriter> {
    var query = JoinWriter.all
    if draw.filter == 4 { query = query.where { $0.$score > 0 } }
    if draw.order == 1 { query = query.order(by: \.$score, draw.direction, nulls: draw.nulls) }
    return sorted ? query.order(by: \.$name) : query
  }

  private static func teams(
    _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinTeam, JoinTeam> {
    var query = JoinTeam.all
    if draw.order == 2 { query = query.order(by: \.$title, draw.direction, nulls: draw.nulls) }
    return draw.limited(sorted ? query.order(by: \.$id) : query)
  }

  private static func marked(
    _ draw: QueryDraw, _ sorted: Bool
  ) -> TableQuery<JoinMark, JoinMark> {
    var query = JoinMark.all
    if draw.filter == 5 { query = query.where { $0.$weight > 0 } }
    if draw.order == 4 { query = query.order(by: \.$weight, draw.direction) }
    if sorted { query = query.order(by: \.$post).order(by: \.$tag) }
    return query.limit(draw.limit.map { $0 % 3 })
  }

  @Sendable
  private static func posts(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinWriter, [JoinPost]> {
    draw.limited(writers(draw, sorted)).including(children(draw, sorted), by: \.$author)
  }

  @Sendable
  private static func writers(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinTeam, [JoinWriter]> {
    teams(draw, sorted).including(writers(draw, sorted), by: \.$team)
  }

  @Sendable
  private static func nested(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinTeam, [(JoinWriter, [JoinPost])]> {
    teams(draw, sorted).including(
      writers(draw, sorted).including(children(draw, sorted), by: \.$author), by: \.$team)
  }

  @Sendable
  private static func marks(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinPost, [JoinMark]> {
    parents(draw, sorted).including(marked(draw, sorted), by: \.$post)
  }

  @Sendable
  private static func replies(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinPost, [(JoinPost, [JoinPost])]> {
    parents(draw, sorted).including(
      children(draw, sorted).including(children(draw, sorted), by: \.$parent), by: \.$parent)
  }

  @Sendable
  private static func several(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinPost, [JoinPost], [JoinMark]> {
    parents(draw, sorted).including(children(draw, sorted), by: \.$parent)
      .including(marked(draw, sorted), by: \.$post)
  }

  @Sendable
  private static func through(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinPost, [JoinWriter]> {
    parents(draw, sorted).including(
      writers(draw, sorted), through: JoinMark.self, from: \.$post, to: \.$tag)
  }

  @Sendable
  private static func back(
    _ draw: QueryDraw, sorted: Bool
  ) -> Including<JoinWriter, [(JoinPost, [JoinMark])]> {
    draw.limited(writers(draw, sorted)).including(
      children(draw, sorted).including(marked(draw, sorted), by: \.$post),
      through: JoinMark.self, from: \.$tag, to: \.$post)
  }
}
