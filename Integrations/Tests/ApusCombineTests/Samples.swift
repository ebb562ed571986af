import Apus
import ApusCombine

struct Post: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var title: String
  @Column var views = 0
}

/// Opens a database with `count` posts: a file in WAL mode with as many readers as given.
func openPosts(_ count: Int, readers: Int = 4) throws -> Database {
  var configuration = Configuration()
  configuration.maximumReaders = readers
  let db = try Database.temporary(configuration: configuration)
  try db.migrate([Post.self])
  try db.write { tx in
    for number in 0..<count { try tx.insert(Post(title: "Post \(number + 1)", views: number)) }
  }
  return db
}

/// SQL that runs until it is interrupted, and calls the function `began` first.
let endless: SQL = """
  WITH RECURSIVE number(x) AS (SELECT began() UNION ALL SELECT x + 1 FROM number)
  SELECT count(*) FROM number
  """
