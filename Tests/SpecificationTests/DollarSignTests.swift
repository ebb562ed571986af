import QueryDSL
import SQLCore
import Testing

private struct Book: Model {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var note: String?
}

@Suite("Key paths without the dollar sign")
struct DollarSignTests {
  @Test("a key path of a value, which compiles where a closure may stand, throws QueryError")
  func keyPaths() throws {
    let ordered = #expect(throws: QueryError.self) { _ = try Book.order(by: \.title).query.sql }
    #expect(String(describing: try #require(ordered)).contains(#"as in \.$title"#))
    #expect(throws: QueryError.self) { _ = try Book.select(\.title).query.sql }
    #expect(throws: QueryError.self) { _ = try Book.select(\.note).query.sql }
    #expect(throws: QueryError.self) { _ = try Book.all.order(by: \.note).query.sql }
  }
}
