import Testing

/// A predicate that must not compile, and the compiler's message.
struct Mistake: Sendable {
  /// The predicate; `‸` stands before the place that the error names.
  let predicate: String
  /// A part of the message.
  let message: String

  init(_ predicate: String, _ message: String) {
    self.predicate = predicate
    self.message = message
  }

  var client: ClientProgram {
    ClientProgram(
      .item,
      """
      func query(
        day: Date, page: URL, wide: Int64, count: Int, rating: Int?, other: Columns<Other>
      ) -> some Fetchable<Item> {
        Item.where {
          \(predicate)
        }
      }
      """)
  }
}

extension Mistake: CustomTestStringConvertible {
  var testDescription: String { predicate.filter { $0 != "‸" } }
}

extension Mistake {
  /// A column beside a value of another type.
  static let ofValue = [
    Mistake(
      #"$0.$int ‸== "text""#, "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake(
      #"$0.$int ‸> "text""#, "'TypesOfComparisonDiffer'-isolated operator function '>'"),
    Mistake("$0.$int ‸== 2.5", "operands of type 'SQLExpression<Int>' and 'Double'"),
    Mistake("$0.$string ‸== 1", "operands of type 'SQLExpression<String>' and 'Int'"),
    Mistake("$0.$bool ‸== 1", "operands of type 'SQLExpression<Bool>' and 'Int'"),
    Mistake("$0.$double ‸== day", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake(#"$0.$decimal ‸< "2""#, "'TypesOfComparisonDiffer'-isolated operator function '<'"),
    Mistake("$0.$date ‸> 1", "operands of type 'SQLExpression<Date>' and 'Int'"),
    Mistake("$0.$id ‸== 1", "'RawValueInsteadOfValue'-isolated operator function '=='"),
    Mistake(#"$0.$id ‸== "1""#, "operands of type 'SQLExpression<Unique64>' and 'String'"),
    Mistake(
      #"$0.$status ‸== "draft""#, "'RawValueInsteadOfValue'-isolated operator function '=='"),
    Mistake(
      #"$0.$status ‸!= "draft""#, "'RawValueInsteadOfValue'-isolated operator function '!='"),
    Mistake("$0.$int ‸== wide", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$long ‸> count", "'TypesOfComparisonDiffer'-isolated operator function '>'"),
    Mistake("$0.$int ‸== rating", "'OneOperandMayBeNull'-isolated operator function '=='"),
    Mistake("$0.$int ‸< rating", "'OneOperandMayBeNull'-isolated operator function '<'"),
    Mistake("$0.$status == .‸drafted", "reference to member 'drafted' cannot be resolved"),
    Mistake(
      #"$0.$optionalInt ‸== "text""#, "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    // The compiler infers the value's type for nil, so the message is imprecise.
    Mistake("$0.$int ‸== nil", "binary operator '==' cannot be applied to operands"),
    Mistake("$0.$string ‸!= nil", "binary operator '!=' cannot be applied to operands"),
    Mistake(#"$0.$int.isIn([‸"a"])"#, "cannot convert value of type 'String'"),
    Mistake("$0.$string.like(‸1)", "cannot convert value of type 'Int'"),
    Mistake("$0.$int.‸like(\"%\")", "requires that 'Int' conform to 'TextColumnValue'"),
    Mistake("$0.$int.between(1, and: ‸\"b\")", "cannot convert value of type 'String'"),
  ]

  /// A column beside a column of another type.
  static let ofColumn = [
    Mistake("$0.$int ‸== $0.$string", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$int ‸< $0.$optionalInt", "'OneOperandMayBeNull'-isolated operator function '<'"),
    Mistake("$0.$int ‸== $0.$long", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$long ‸<= $0.$short", "'TypesOfComparisonDiffer'-isolated operator function '<='"),
    Mistake(
      "$0.$int ‸== other.$title", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$int ‸== $0.$decimal", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$int ‸== $0.$status", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$status ‸== $0.$int", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake("$0.$int ‸== $0.$double", "operands of type 'SQLExpression<Int>'"),
    Mistake("$0.$decimal < $0.‸$double", "cannot convert value of type 'SQLExpression<Double>'"),
    Mistake("$0.$id < other.‸$title", "cannot convert value of type 'SQLExpression<String>'"),
  ]

  /// An operation that the column's type does not have.
  static let ofOperation = [
    Mistake("$0.$decimal ‸/ 2 == 1", "SQL has no exact quotient of decimal numbers"),
    Mistake("$0.$decimal ‸/ $0.$decimal > 1", "SQL has no exact quotient of decimal numbers"),
    Mistake("$0.$decimal.optional ‸/ 2 == 1", "SQL has no exact quotient of decimal numbers"),
    Mistake("$0.$decimal.‸avg() == 1", "SQL has no exact mean of decimal numbers"),
    Mistake("$0.$status ‸< .published", "requires that 'Status' conform to 'OrderedColumnValue'"),
    Mistake("$0.$bool ‸&& $0.$string", "requires that 'String' conform to 'BoolColumnValue'"),
    Mistake(
      #"$0.$json ‸< ["a"]"#, "requires that 'JSON<[String]>' conform to 'OrderedColumnValue'"),
    Mistake("$0.$url ‸>= page", "requires that 'URL' conform to 'AdditiveColumnValue'"),
    Mistake(
      #"$0.$decimal ‸+ "x" == 2"#, "'OperandIsNotANumber'-isolated operator function '+'"),
    // The result of the mistake is taken for a number, so the comparison is one as well.
    Mistake("$0.$date + 1 ‸== day", "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    Mistake(
      "$0.$int ‸+ $0.$decimal > 3", "'NumbersOfDifferentTypes'-isolated operator function '+'"),
    Mistake(
      "$0.$int ‸+ $0.$optionalInt > 3", "'OneOperandMayBeNull'-isolated operator function '+'"),
    Mistake(#"$0.$int ‸+ "x" == 1"#, "'OperandIsNotANumber'-isolated operator function '+'"),
  ]

  /// A line that is not a predicate.
  static let ofLine = [
    Mistake("$0.‸$bool", "cannot convert value of type 'SQLExpression<Bool>'"),
    Mistake("!$0.‸$nope && $0.$bool", "has no dynamic member '$nope'"),
    Mistake("$0.$int == 1 ‸&& true", "requires that 'Bool' conform to 'SIMDLogic'"),
    Mistake("$0.$int ‸= 1", "cannot convert value of type '()'"),
    Mistake("$0.‸$nope == 1", "has no dynamic member '$nope'"),
  ]
}

/// A call of raw SQL that must not compile.
extension Mistake {
  /// Text made at run time, without the word `unsafe`.
  static let ofRawSQL = [
    Mistake("try database.execute(‸text)", "cannot convert value of type 'String'"),
    Mistake("_ = try database.rows(‸text)", "cannot convert value of type 'String'"),
    Mistake(
      #"_ = try database.row("SELECT " ‸+ text)"#, "cannot convert value of type 'String'"),
    Mistake("_ = ‸SQL(text)", "no exact matches in call to initializer"),
  ]

  var rawSQLClient: ClientProgram {
    ClientProgram(
      .item,
      """
      func run(_ text: String, on database: Database) throws {
        \(predicate)
      }
      """)
  }
}
