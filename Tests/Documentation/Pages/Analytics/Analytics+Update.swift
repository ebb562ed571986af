import ApusAnalytics

private struct Order: Model {
  @PrimaryKey var id: Int
  @Column var status: String
  @Column var amount: Double
  @Column var year: Int
  @Column var createdAt: Date
}

private struct Customer: Model {
  @PrimaryKey var id: Int
}

private var analytics: Analytics { get throws { try Analytics() } }
