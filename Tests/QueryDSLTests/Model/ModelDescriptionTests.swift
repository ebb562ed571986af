import Foundation
import QueryDSL
import SQLCore
import Testing

@Suite("Printed models with the names of their properties")
struct ModelDescriptionTests {
  struct Post: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var url: URL?
    @Column var views = 0
    @Ignored var draft: String?
  }

  struct Total: ResultRow {
    @Column var description: String
    @Column var sum: Int?
  }

  private let post = Post(id: 1, title: "Swifts", url: nil, views: 3)

  private let text = #"Post(id: 1, title: "Swifts", url: nil, views: 3, draft: nil)"#

  @Test("print, interpolation and String(reflecting:) show no underscores")
  func printing() throws {
    var printed = ""
    print(post, terminator: "", to: &printed)
    #expect(printed == text)
    #expect("\(post)" == text)
    #expect(String(reflecting: post).hasSuffix(text))
    #expect("\([post])".hasSuffix("\(text)]"))
  }

  @Test("dump and Mirror show the values by the names of their properties")
  func reflection() throws {
    var dumped = ""
    dump(post, to: &dumped)
    #expect(dumped.contains("- id: 1\n"))
    #expect(dumped.contains(#"- title: "Swifts""#))
    #expect(!dumped.contains("_id") && !dumped.contains("storage"))
    let children = Array(Mirror(reflecting: post).children)
    #expect(children.compactMap(\.label) == ["id", "title", "url", "views", "draft"])
    #expect(children[0].value as? Int == 1)
    #expect(children[1].value as? String == "Swifts")
  }

  @Test("a row without a table is printed in the same way, whatever the names of its columns")
  func rows() {
    let total = Total(description: "all", sum: 7)
    #expect("\(total)" == #"Total(description: "all", sum: Optional(7))"#)
  }

  @Test("a model's own description takes precedence")
  func ownDescription() {
    struct Tag: Model, CustomStringConvertible {
      @PrimaryKey var id: Int
      var description: String { "#\(id)" }
    }
    #expect("\(Tag(id: 3))" == "#3")
  }
}
