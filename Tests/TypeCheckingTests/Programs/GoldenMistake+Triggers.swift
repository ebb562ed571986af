extension GoldenMistake {
  /// Mistakes in the declaration of a trigger.
  static let triggers = [
    GoldenMistake(
      name: "an insertion with an old row",
      code: page(
        """
        Trigger("t", after: .insert) { ‸old, new in
          Page.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        }
        """),
      message: "expects 1 argument, but 2 were used in closure body"),
    GoldenMistake(
      name: "an update with one row",
      code: page(
        """
        Trigger("t", after: .update) { new in
          Page.update { $0.$edits += 1 }.where { $0.$id == new.‸$id }
        }
        """),
      message: "value of tuple type '(Columns<Page>, Columns<Page>)' has no member '$id'"),
    GoldenMistake(
      name: "INSTEAD OF on a table",
      code: page(
        """
        ‸Trigger("t", insteadOf: .insert) { new in
          Page.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        }
        """),
      message: "requires that 'Page' conform to 'SQLView'"),
    GoldenMistake(
      name: "a condition as a statement",
      code: page(
        """
        Trigger("t", after: .insert) { new in
          ‸new.$edits > 3
        }
        """),
      message: "a condition belongs in `when:`, or the where of a command"),
    GoldenMistake(
      name: "a command that returns rows",
      code: page(
        """
        Trigger("t", after: .insert) { new in
          ‸Page.update { $0.$edits += 1 }.where { $0.$id == new.$id }.returning()
        }
        """),
      message: "a trigger returns no rows; leave out `returning`"),
  ]

  private static func page(_ trigger: String) -> String {
    """
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var edits: Int
      static var schema: Schema<Page> {
        \(trigger.split(separator: "\n").joined(separator: "\n    "))
      }
    }
    """
  }
}
