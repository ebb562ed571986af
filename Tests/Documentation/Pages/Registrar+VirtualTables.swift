private final class Lines: VirtualTable {
  let schema = "CREATE TABLE x (line TEXT)"
  init(path: String) throws {}
  func open() throws -> any VirtualTableCursor { unavailable() }
}
