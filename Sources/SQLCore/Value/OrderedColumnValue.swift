/// A column value whose stored form SQL orders as Swift orders the value, so that `<`, `min` and
/// `ORDER BY` agree with Swift.
///
/// A type of your own may conform if the order of its stored form is its own.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#comparison_expressions>
public protocol OrderedColumnValue: ColumnValue {}
