private let isNew: SQLExpression<Bool> = unavailable()
