/// Right statements that the compiler refuses, and what to write instead.
///
/// `Documentation/CompilerMessages.md` lists them. If a later compiler accepts one, it leaves both.
struct KnownRefusal: Sendable {
  let refused: String
  let written: String

  private static let sum = "i.$int * 2 + i.$int * 3 - 1"
  private static let flag = "Case(when: i.$int > 1, then: 1).else(0)"

  static let all = [
    KnownRefusal(
      refused: "print(try db.fetch(Item.select { ($0.$id, $0.$int) }).count)",
      written: "print(try db.fetch(Item.select(\\.$id, \\.$int)).count)"),
    KnownRefusal(
      refused: "print(try db.fetch(Item.select { i in (i.$id, \(sum)) }).count)",
      written: """
        let rows = try db.fetch(Item.select { i in (i.$id, \(sum)) })
        print(rows.count)
        """),
    KnownRefusal(
      refused: "_ = \"\\(try db.fetch(Item.select { i in \(sum) }).count)\"",
      written: """
        let count = try db.count(Item.select { i in \(sum) })
        _ = "\\(count)"
        """),
    KnownRefusal(
      refused: "try db.upsert(item, onConflict: \\.$id) { i in i.$int = \(sum) }",
      written: """
        try db.upsert(item, onConflict: \\.$id) { i in
          let sum = \(sum)
          i.$int = sum
        }
        """),
    KnownRefusal(
      refused: "_ = Item.order { i in i.$int + \(flag) + i.$int + \(flag) + i.$int + \(flag) }",
      written: """
        _ = Item.order { i in
          let flag = \(flag)
          return i.$int + flag + i.$int + flag + i.$int + flag
        }
        """),
  ]
}
