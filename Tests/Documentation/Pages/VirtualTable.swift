private final class Cursor: VirtualTableCursor {
  func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws {}
  func next() throws {}
  func column(_ index: Int) throws -> DatabaseValue { .null }
  var isAtEnd: Bool { true }
  var rowID: Int64 { 0 }
}
private final class Lines: VirtualTable {
  let schema = "CREATE TABLE x (line TEXT)"
  init(path: String) throws {}
  func open() throws -> any VirtualTableCursor { unavailable() }
}
