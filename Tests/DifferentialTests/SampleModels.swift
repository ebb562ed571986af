import Foundation
import QueryDSL
import SQLCore

@testable import QueryFixtures

/// A random model: one of a few structs, with random types of columns.
protocol SampleModel: Model {
  /// The stored values, in the order of the columns.
  var values: [DatabaseValue] { get }
  static func make(number: Int, _ values: inout SampleValues) -> Self
  static func columns(of columns: Columns<Self>, at table: Int, isMissing: Bool) -> SampleColumns
  /// Orders by the key, which makes the order total.
  static func ordered(_ query: TableQuery<Self, Self>) -> TableQuery<Self, Self>
  /// The columns by which pages may be ordered, in the order of the columns.
  static var pageColumns: [PageColumn<Self>] { get }
  static var width: Int { get }
}

/// Adds a column to the order of pages, with a direction and a place of NULL.
typealias PageColumn<M: SampleModel> = (PageOrder<M>, SortDirection, NullOrder?) -> PageOrder<M>

extension SampleModel {
  static func pageColumn<Value: ColumnValue>(
    _ column: KeyPath<Self, ColumnReference<Value>>
  ) -> PageColumn<Self> {
    { order, direction, nulls in
      direction == .ascending
        ? order.ascending(column, nulls: nulls) : order.descending(column, nulls: nulls)
    }
  }
}

/// The stored forms of a model's columns, for types that have more than one.
protocol SampleForm: Sendable {
  static var number: Int { get }
}

enum FirstForm: SampleForm { static var number: Int { 0 } }
enum SecondForm: SampleForm { static var number: Int { 1 } }
enum ThirdForm: SampleForm { static var number: Int { 2 } }
enum FourthForm: SampleForm { static var number: Int { 3 } }

extension SampleForm {
  static func form<Value: SampleType>(of type: Value.Type) -> StoredForm {
    type.forms[number % type.forms.count]
  }
}

/// A model whose key is its first column.
struct Leading<
  Key: SampleKey, A: SampleType, B: SampleType, C: SampleType, D: SampleType, Form: SampleForm
>: SampleModel {
  @PrimaryKey var id: Key
  @Column var a: A
  @Column var b: B
  @Column var c: C
  @Column var d: D

  static var schema: Schema<Self> {
    Stored(\.$id, as: Form.form(of: Key.self))
    Stored(\.$a, as: Form.form(of: A.self))
    Stored(\.$b, as: Form.form(of: B.self))
    Stored(\.$c, as: Form.form(of: C.self))
    Stored(\.$d, as: Form.form(of: D.self))
    Index(\.$a, \.$b)
    Index(\.$b) { B.isIndexed($0.$b) }
    Index(\.$c) { C.isIndexed($0.$c) }
    Index(\.$d, \.$a) { D.isIndexed($0.$d) }
  }

  static var pageColumns: [PageColumn<Self>] {
    [
      pageColumn(\.$id), pageColumn(\.$a), pageColumn(\.$b), pageColumn(\.$c), pageColumn(\.$d),
    ]
  }

  static var width: Int { 5 }

  var values: [DatabaseValue] {
    [
      value(id, as: Form.form(of: Key.self)), value(a, as: Form.form(of: A.self)),
      value(b, as: Form.form(of: B.self)), value(c, as: Form.form(of: C.self)),
      value(d, as: Form.form(of: D.self)),
    ]
  }

  static func make(number: Int, _ values: inout SampleValues) -> Self {
    Self(
      id: .key(number), a: .random(&values), b: .random(&values), c: .random(&values),
      d: .random(&values))
  }

  static func columns(of table: Columns<Self>, at place: Int, isMissing: Bool) -> SampleColumns {
    var columns = SampleColumns(table: place, isMissing: isMissing)
    columns.add(table.$id, isKey: true)
    columns.add(table.$a)
    columns.add(table.$b)
    columns.add(table.$c)
    columns.add(table.$d)
    return columns
  }

  static func ordered(_ query: TableQuery<Self, Self>) -> TableQuery<Self, Self> {
    query.order(by: \.$id)
  }
}

/// A model whose key is between other columns, with other names and without an index.
struct Between<Key: SampleKey, A: SampleType, B: SampleType, Form: SampleForm>: SampleModel {
  @Column var first: A
  @PrimaryKey var id: Key
  @Column var last: B

  static var schema: Schema<Self> {
    Named(\.$first, "a \"first\" name")
    Named(\.$last, "select")
    Stored(\.$first, as: Form.form(of: A.self))
    Stored(\.$id, as: Form.form(of: Key.self))
    Stored(\.$last, as: Form.form(of: B.self))
  }

  static var pageColumns: [PageColumn<Self>] {
    [pageColumn(\.$first), pageColumn(\.$id), pageColumn(\.$last)]
  }

  static var width: Int { 3 }

  var values: [DatabaseValue] {
    [
      value(first, as: Form.form(of: A.self)), value(id, as: Form.form(of: Key.self)),
      value(last, as: Form.form(of: B.self)),
    ]
  }

  static func make(number: Int, _ values: inout SampleValues) -> Self {
    Self(first: .random(&values), id: .key(number), last: .random(&values))
  }

  static func columns(of table: Columns<Self>, at place: Int, isMissing: Bool) -> SampleColumns {
    var columns = SampleColumns(table: place, isMissing: isMissing)
    columns.add(table.$first)
    columns.add(table.$id, isKey: true)
    columns.add(table.$last)
    return columns
  }

  static func ordered(_ query: TableQuery<Self, Self>) -> TableQuery<Self, Self> {
    query.order(by: \.$id)
  }
}

/// A model with a key of two columns and no rowid.
struct Composite<One: SampleKey, Two: SampleKey, A: SampleType, B: SampleType, C: SampleType>:
  SampleModel
{
  struct ID: Hashable, Sendable {
    var one: One
    var two: Two
  }

  @Column var a: A
  @PrimaryKey var one: One
  @Column var b: B
  @PrimaryKey var two: Two
  @Column var c: C

  var id: ID { ID(one: one, two: two) }

  static var schema: Schema<Self> {
    WithoutRowID()
  }

  static var pageColumns: [PageColumn<Self>] {
    [
      pageColumn(\.$a), pageColumn(\.$one), pageColumn(\.$b), pageColumn(\.$two),
      pageColumn(\.$c),
    ]
  }

  static var width: Int { 5 }

  var values: [DatabaseValue] { [value(a), value(one), value(b), value(two), value(c)] }

  static func make(number: Int, _ values: inout SampleValues) -> Self {
    Self(
      a: .random(&values), one: .key(number / 3), b: .random(&values), two: .key(number % 3),
      c: .random(&values))
  }

  static func columns(of table: Columns<Self>, at place: Int, isMissing: Bool) -> SampleColumns {
    var columns = SampleColumns(table: place, isMissing: isMissing)
    columns.add(table.$a)
    columns.add(table.$one, isKey: true)
    columns.add(table.$b)
    columns.add(table.$two, isKey: true)
    columns.add(table.$c)
    return columns
  }

  static func ordered(_ query: TableQuery<Self, Self>) -> TableQuery<Self, Self> {
    query.order(by: \.$one).order(by: \.$two, .descending)
  }
}

/// Draws a model: the types of its columns, which of them are optional, its key and its stored
/// forms.
enum SampleModels {
  private static let types: [any SampleType.Type] = [
    Int.self, Int?.self, Int?.self, String.self, String?.self, String?.self, Double.self,
    Double?.self, Bool.self, Bool?.self, Int8.self, Int8?.self, Date.self, Date?.self, UUID?.self,
    Data.self, Data?.self, Unique64?.self, SampleKind.self, SampleKind?.self,
    JSON<[String: Int]>.self, JSON<[String: Int]>?.self,
  ]

  private static let keys: [any SampleKey.Type] = [
    Int.self, String.self, UUID.self, Unique64.self, Date.self,
  ]

  private static let forms: [any SampleForm.Type] = [
    FirstForm.self, SecondForm.self, ThirdForm.self, FourthForm.self,
  ]

  static func draw(_ values: inout SampleValues) -> any SampleModel.Type {
    let (key, other) = (values.pick(keys), values.pick(keys))
    let (a, b) = (values.pick(types), values.pick(types))
    let (c, d) = (values.pick(types), values.pick(types))
    let form = values.pick(forms)
    return switch values.below(5) {
    case 0: between(key, a, b, form)
    case 1: composite(key, other, a, b, c)
    default: leading(key, a, b, c, d, form)
    }
  }

  private static func leading<
    Key: SampleKey, A: SampleType, B: SampleType, C: SampleType, D: SampleType, Form: SampleForm
  >(
    _: Key.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: Form.Type
  ) -> any SampleModel.Type {
    Leading<Key, A, B, C, D, Form>.self
  }

  private static func between<Key: SampleKey, A: SampleType, B: SampleType, Form: SampleForm>(
    _: Key.Type, _: A.Type, _: B.Type, _: Form.Type
  ) -> any SampleModel.Type {
    Between<Key, A, B, Form>.self
  }

  private static func composite<
    One: SampleKey, Two: SampleKey, A: SampleType, B: SampleType, C: SampleType
  >(_: One.Type, _: Two.Type, _: A.Type, _: B.Type, _: C.Type) -> any SampleModel.Type {
    Composite<One, Two, A, B, C>.self
  }
}
