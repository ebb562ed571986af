import SchemaMigration

import SQLCore
import Testing

@testable import QueryDSL
@testable import QueryFixtures

@Suite("Full-text indexes in a schema")
struct SearchDeclarationTests {
  @Test("an index is created after all tables with its triggers, and filled")
  func plan() throws {
    let db = try Specification.database()
    let plan = try db.migrationPlan(for: Library.models)
    #expect(Library.actions(plan).last == .createSearchIndex("Post_search"))
    #expect(
      plan.description.hasSuffix(
        #"""
          + create the search index Post_search: the schema declares it
              CREATE VIRTUAL TABLE "Post_search" /* Apus bm25(10.0, 1.0, 0.0) */ USING fts5("title", "body", "status" UNINDEXED, content='Post', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
              INSERT INTO "Post_search" ("Post_search", rank) VALUES ('rank', 'bm25(10.0, 1.0, 0.0)');
              CREATE TABLE "Post_search_pending" /* Apus */ (rowid INTEGER PRIMARY KEY, "title", "body");
              INSERT INTO "Post_search" ("Post_search") VALUES ('rebuild');
              CREATE TRIGGER "Post_search_insert" /* Apus */ AFTER INSERT ON "Post"
              BEGIN
                INSERT INTO "Post_search" ("Post_search", rowid, "title", "body") SELECT 'delete', rowid, "title", "body" FROM "Post_search_pending" WHERE rowid = NEW."id";
                DELETE FROM "Post_search_pending" WHERE rowid = NEW."id";
                INSERT INTO "Post_search" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = NEW."id" AND NOT EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = NEW."id");
              END;
              CREATE TRIGGER "Post_search_before_update" /* Apus */ BEFORE UPDATE OF "id", rowid, _rowid_, oid, "title", "body" ON "Post"
              BEGIN
                INSERT INTO "Post_search_pending" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = OLD."id" AND EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = OLD."id") ON CONFLICT (rowid) DO NOTHING;
              END;
              CREATE TRIGGER "Post_search_update" /* Apus */ AFTER UPDATE OF "id", rowid, _rowid_, oid, "title", "body" ON "Post"
              BEGIN
                INSERT INTO "Post_search" ("Post_search", rowid, "title", "body") SELECT 'delete', rowid, "title", "body" FROM "Post_search_pending" WHERE rowid = NEW."id";
                DELETE FROM "Post_search_pending" WHERE rowid = NEW."id";
                INSERT INTO "Post_search" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = NEW."id" AND NOT EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = NEW."id");
              END;
              CREATE TRIGGER "Post_search_key" /* Apus */ AFTER UPDATE OF "id", rowid, _rowid_, oid ON "Post"
              WHEN OLD."id" <> NEW."id"
              BEGIN
                INSERT INTO "Post_search" ("Post_search", rowid, "title", "body") SELECT 'delete', rowid, "title", "body" FROM "Post_search_pending" WHERE rowid = OLD."id";
                DELETE FROM "Post_search_pending" WHERE rowid = OLD."id";
                INSERT INTO "Post_search" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = OLD."id" AND NOT EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = OLD."id");
              END;
              CREATE TRIGGER "Post_search_before_delete" /* Apus */ BEFORE DELETE ON "Post"
              BEGIN
                INSERT INTO "Post_search_pending" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = OLD."id" AND EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = OLD."id") ON CONFLICT (rowid) DO NOTHING;
              END;
              CREATE TRIGGER "Post_search_delete" /* Apus */ AFTER DELETE ON "Post"
              BEGIN
                INSERT INTO "Post_search" ("Post_search", rowid, "title", "body") SELECT 'delete', rowid, "title", "body" FROM "Post_search_pending" WHERE rowid = OLD."id";
                DELETE FROM "Post_search_pending" WHERE rowid = OLD."id";
                INSERT INTO "Post_search" (rowid, "title", "body") SELECT "id", "title", "body" FROM "Post" WHERE "id" = OLD."id" AND NOT EXISTS (SELECT 1 FROM "Post_search_docsize" WHERE id = OLD."id");
              END
        """#), "\(plan)")
    #expect(try db.migrate(Library.models) == plan)
    #expect(try db.migrationPlan(for: Library.models).steps.isEmpty)
  }

  @Test(
    "tokenizers and their options are written as FTS5 reads them",
    arguments: [
      (SearchTokenizer.unicode(), "unicode61 remove_diacritics 2"),
      (
        .unicode(
          diacritics: .kept, tokenCharacters: "-_'", separators: "x", categories: "L* N* Co"),
        "unicode61 remove_diacritics 0 categories 'L* N* Co' tokenchars '-_''' separators x"
      ),
      (.porter(), "porter unicode61 remove_diacritics 2"),
      (.porter(.ascii(tokenCharacters: "#")), "porter ascii tokenchars '#'"),
      (.trigram(), "trigram"), (.trigram(caseSensitive: true), "trigram case_sensitive 1"),
    ])
  func tokenizers(_ tokenizer: SearchTokenizer, _ sql: String) throws {
    #expect(tokenizer.sql == sql)
    let name = DatabaseValue.text(sql)
    try Connection().execute(
      SQL(unsafe: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize=\(name))"))
  }

  // MARK: Refused declarations

  private func message<M: Model>(_ model: M.Type) -> String? {
    #expect(throws: ModelError.self) { try Specification.database(models: [model]) }?.message
  }

  @Test("a table without a single integer key is refused, with the way out")
  func keys() throws {
    struct Text: Model {
      @PrimaryKey var id: String
      @Column var body: String
      static var schema: Schema<Text> { FullText(\.$body) }
    }
    struct Pair: Model {
      struct ID: Hashable, Sendable {
        var a: Int
        var b: Int
      }
      var id: ID { ID(a: a, b: b) }
      @PrimaryKey var a: Int
      @PrimaryKey var b: Int
      @Column var body: String
      static var schema: Schema<Pair> { FullText(\.$body) }
    }
    struct Bare: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Bare> {
        WithoutRowID()
        FullText(\.$body)
      }
    }
    struct Seen: SQLView {
      @PrimaryKey var id: Int
      @Column var body: String
      static var definition: some Fetchable { Library.Post.select(\.$id, \.$title) }
      static var schema: Schema<Seen> { FullText(\.$body) }
    }
    #expect(
      message(Text.self)
        == "FullText(…): the index finds its rows by the rowid, so the table needs a single primary "
        + "key of an integer type and cannot be WITHOUT ROWID; its key is (id). Give the model a key "
        + "such as `@PrimaryKey var id: Unique64`, and declare the other key as `Unique`")
    #expect(message(Pair.self)?.contains("its key is (a, b)") == true)
    #expect(message(Bare.self)?.contains("WITHOUT ROWID") == true)
    #expect(throws: ModelError.self) {
      try Specification.database(models: [Library.Author.self, Library.Post.self, Seen.self])
    }
  }

  @Test("columns, weights, names and options that FTS5 cannot have are refused")
  func mistakes() throws {
    struct Number: Model {
      @PrimaryKey var id: Int
      @Column var views: Int
      static var schema: Schema<Number> { FullText(\.$views) }
    }
    struct Reserved: Model {
      @PrimaryKey var id: Int
      @Column var rank: String
      static var schema: Schema<Reserved> { FullText(\.$rank) }
    }
    struct Nothing: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Nothing> { FullText { $0.$body.unindexed } }
    }
    struct Twice: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Twice> { FullText(\.$body, \.$body) }
    }
    struct Double: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Double> {
        FullText(\.$body)
        FullText(\.$body, name: "other")
      }
    }
    struct Heavy: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Heavy> { FullText { $0.$body.weighted(-1) } }
    }
    struct Light: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Light> { FullText { $0.$body.weighted(0.00001) } }
    }
    struct Long: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Long> { FullText(\.$body, prefixes: [0]) }
    }
    struct Newer: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Newer> {
        FullText(\.$body, tokenizer: .trigram(removingDiacritics: true))
      }
    }
    struct Small: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Small> {
        FullText(\.$body, tokenizer: .trigram(), detail: .none)
      }
    }
    struct Named: Model {
      @PrimaryKey var id: Int
      @Column var body: String
      static var schema: Schema<Named> { FullText(\.$body, name: "BODY") }
    }
    #expect(message(Number.self)?.contains("views is INTEGER, and only text has words") == true)
    #expect(message(Reserved.self)?.contains("FTS5 reserves the name rank") == true)
    #expect(message(Nothing.self)?.contains("no column whose words are indexed") == true)
    #expect(message(Twice.self)?.contains("a column twice") == true)
    #expect(message(Double.self)?.contains("two `FullText` lines") == true)
    #expect(message(Heavy.self)?.contains("the weight of body is -1.0") == true)
    #expect(message(Light.self)?.contains("the weight of body is 1e-05") == true)
    #expect(message(Long.self)?.contains("1 to 999 characters") == true)
    #expect(message(Small.self)?.contains("`.full`") == true)
    #expect(message(Named.self)?.contains("the name of the index and of a column") == true)
    if SQLiteLibrary.versionNumber < 3_045_000 {
      #expect(message(Newer.self)?.contains("does not know the options") == true)
    }
  }

  @Test("two models of one table may declare the same index, but not two of one name")
  func facets() throws {
    struct One: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<One> { FullText(\.$title) }
    }
    struct Other: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String?
      static var schema: Schema<Other> { FullText(\.$title) }
    }
    struct Third: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var body: String?
      static var schema: Schema<Third> { FullText(\.$body) }
    }
    let db = try Specification.database(models: [One.self, Other.self])
    try db.insert(One(id: 1, title: "swift"))
    #expect(try Library.keys(db, "swift", in: "Note_search") == [1])
    let error = #expect(throws: ModelError.self) {
      try Specification.database(models: [One.self, Third.self])
    }
    #expect(error?.message.contains(#"FullText(…, name: "Note_search_2")"#) == true)
  }
}
