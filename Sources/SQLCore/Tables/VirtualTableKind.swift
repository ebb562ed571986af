/// The way in which a virtual table comes into being.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#eponymous_virtual_tables>
public enum VirtualTableKind: Sendable {
  /// The table exists under the name of its module, without being created. In a FROM clause,
  /// `name(1, 2)` sets its hidden columns.
  case eponymous
  /// The table is made by `CREATE VIRTUAL TABLE name USING module (arguments)`.
  case created
}
