import QueryDSL
import SQLCore

// The models of the tables that `JoinWrites` creates.

struct JoinPost: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var author: String?
  @Column var parent: Int64?
  @Column var title: String
  @Column var stars: Int
}

struct JoinWriter: Model, Equatable {
  @PrimaryKey var name: String
  @Column var team: Int64?
  @Column var score: Double?
  var id: String { name }
}

struct JoinTeam: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var title: String?
}

struct JoinMark: Model, Equatable {
  struct ID: Hashable, Sendable {
    var post: Int64
    var tag: String
  }
  @PrimaryKey var post: Int64
  @PrimaryKey var tag: String
  @Column var weight: Int
  var id: ID { ID(post: post, tag: tag) }
}
