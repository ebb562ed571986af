import DebianControl
import Testing

@Suite("Relations between packages")
struct RelationTests {
  @Test("commas separate groups, and bars separate alternatives")
  func groups() throws {
    let found = try relations("Depends: a, b (>= 1) | c:any (<< 2:3~rc1-1), d")
    #expect(found.map(\.name) == ["a", "b", "c", "d"])
    #expect(found.map(\.group) == [0, 1, 1, 2])
    #expect(found.map(\.alternative) == [0, 0, 1, 0])
    #expect(found.map { $0.constraint?.description } == [nil, ">= 1", "<< 2:3~rc1-1", nil])
    #expect(found.map(\.architectureQualifier) == [nil, nil, "any", nil])
  }

  @Test("each field has its own kind and counts its own groups")
  func kinds() throws {
    let found = try relations("Recommends: r\nPre-Depends: p, q\nDepends: d")
    #expect(found.map(\.name) == ["d", "p", "q", "r"])
    #expect(found.map(\.kind) == [.depends, .preDepends, .preDepends, .recommends])
    #expect(found.map(\.group) == [0, 0, 1, 0])
  }

  @Test(
    "a version compares in five ways, and two of them have an old spelling",
    arguments: zip(
      ["<<", "<=", "=", ">=", ">>", "<", ">"],
      [.earlier, .earlierOrEqual, .equal, .laterOrEqual, .later, .earlierOrEqual, .laterOrEqual]
        as [Relation.Comparison]
    )
  )
  func comparisons(sign: String, comparison: Relation.Comparison) throws {
    let found = try relations("Depends: a (\(sign) 1)").first
    #expect(found?.constraint?.comparison == comparison)
    #expect(found?.constraint?.version == "1")
  }

  @Test(
    "white space, line ends and a trailing comma are ignored",
    arguments: [
      "Depends: a (>= 1) | b, c", "Depends:a(>=1)|b,c", "Depends:\n a ( >= 1 )\n | b,\r\n c ,\n ",
      "depends: a\n (>=\n 1), ",
    ]
  )
  func whiteSpace(field: String) throws {
    let first = try #require(try relations(field).first)
    #expect(first.name == "a")
    #expect(first.constraint?.description == ">= 1")
  }

  @Test("an empty field has no relations")
  func empty() throws {
    #expect(try relations("Depends:\nRecommends: ").isEmpty)
  }

  @Test(
    "an error quotes the malformed text",
    arguments: [
      ("a b", "b"), ("a,,b", ","), (",a", ","), ("a | , b", ","), ("a |", ""), ("| a", "| a"),
      ("a (1.0)", "1.0)"), ("a (>= )", ")"), ("a (>= 1", ""), ("a (>= 1 2)", "2)"),
      ("a (=> 1)", "=> 1)"), ("a: b", "b"), ("a [amd64]", "[amd64]"), ("-a", "-a"),
      ("a, é", "é"), ("a (", ""), ("a:", ""),
    ]
  )
  func malformed(value: String, text: String) {
    let found = failure { _ = try relations("Depends: \(value)") }
    guard case .malformed(4, .invalidValue("Depends", let quoted, _)) = found else {
      Issue.record("\(String(describing: found)) for \(value)")
      return
    }
    #expect(quoted == text)
  }

  @Test("an error in a continuation line names that line")
  func line() {
    let found = failure { _ = try relations("Recommends: a,\n b,\n c d,\n e") }
    #expect(
      found
        == .malformed(
          line: 6,
          .invalidValue(
            field: "Recommends",
            text: "d",
            expected: "\",\" or \"|\" between package names"
          )
        )
    )
  }
}
