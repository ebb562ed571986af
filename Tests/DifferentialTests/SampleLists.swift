import QueryDSL
import SQLCore

/// A model with JSON arrays and the ends of a series, for table-valued functions.
struct SampleLists: SampleModel {
  @PrimaryKey var id: Int
  @Column var first: Int?
  @Column var last: Int?
  @Column var isShown: Bool?
  @Column var numbers: JSON<[Int]>
  @Column var texts: JSON<[String]>?

  static var schema: Schema<SampleLists> {
    Index(\.$first) { $0.$isShown.isFalse }
    Index(\.$id) { $0.$last == nil }
  }

  static var pageColumns: [PageColumn<SampleLists>] {
    [
      pageColumn(\.$id), pageColumn(\.$first), pageColumn(\.$last), pageColumn(\.$isShown),
      pageColumn(\.$numbers), pageColumn(\.$texts),
    ]
  }

  static var width: Int { 6 }

  var values: [DatabaseValue] {
    [value(id), value(first), value(last), value(isShown), value(numbers), value(texts)]
  }

  static func make(number: Int, _ values: inout SampleValues) -> SampleLists {
    SampleLists(
      id: number, first: values.optional { $0.below(6) - 2 },
      last: values.optional { $0.below(8) - 3 }, isShown: values.optional { $0.flip() },
      numbers: JSON((0..<values.below(4)).map { _ in values.integer() }),
      texts: values.optional { values in
        JSON((0..<values.below(4)).map { _ in values.pick(["", "a", "A", "b'\"\\", "ä🐦\n"]) })
      })
  }

  /// The columns that are neither JSON.
  static func columns(
    of table: Columns<SampleLists>, at place: Int, isMissing: Bool
  ) -> SampleColumns {
    var columns = SampleColumns(table: place, isMissing: isMissing)
    columns.add(table.$id, isKey: true)
    columns.add(table.$first)
    columns.add(table.$last)
    columns.add(table.$isShown)
    return columns
  }

  static func ordered(
    _ query: TableQuery<SampleLists, SampleLists>
  ) -> TableQuery<SampleLists, SampleLists> {
    query.order(by: \.$id)
  }
}
