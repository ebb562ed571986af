private let day = Date()
private let now = Date()
private struct Loan: Model {
  @PrimaryKey var id: Int
  @Column var begin: Date
  @Column var length: Int
}
