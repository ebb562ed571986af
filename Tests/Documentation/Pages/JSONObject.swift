private let isNew = SQLExpression(true)
