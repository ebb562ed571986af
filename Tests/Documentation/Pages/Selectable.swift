private struct Level: ResultRow { @Column var depth: Int }
