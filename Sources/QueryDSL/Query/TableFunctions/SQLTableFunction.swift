import SQLCore

/// A table-valued function, built in or registered by the program, with its types.
///
/// ```swift
/// struct Word: ResultRow { @Column var word: String }
/// let words = SQLTableFunction<Word, String>("words")      // the row, then each argument
///
/// Query { (post: Columns<Post>, word: Columns<Word>) in
///   From(post)
///   Join(words(post.$title).as(word))
///   Select(post.$id, word.$word)
/// }
/// // SELECT "Post"."id", "words"."word" FROM "Post" JOIN "words"("Post"."title")
/// ```
/// The columns of the row are found by their names; the function may have others. The compiler
/// cannot check the declaration. A function or a column that does not exist throws `DatabaseError`
/// when the query runs; a value of another type throws `ColumnValueError` when it is read. To call
/// it without its last arguments, declare it again without them.
public struct SQLTableFunction<Row: ResultRow, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// Declares the function with that name, which is written in quotation marks.
  public init(_ name: String) {
    self.name = name
  }

  /// Returns a call of the function. SQL: `"words"("Post"."title")`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> TableFunctionCall<Row> {
    TableFunctionCall(name: name, arguments: expressionNodes(repeat each arguments))
  }

  /// Returns a call of the function with values, which are bound. SQL: `"words"(?)`
  @_disfavoredOverload
  public func callAsFunction(_ arguments: repeat each Argument) -> TableFunctionCall<Row> {
    TableFunctionCall(
      name: name, arguments: expressionNodes(repeat SQLExpression(each arguments)))
  }
}
