import ApusSwiftUI
import SwiftUI
struct Chore: Model {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var isDone = false
}
private let id = 1
