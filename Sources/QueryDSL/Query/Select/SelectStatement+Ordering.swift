extension SelectStatement {
  /// Orders by another expression, ascending, after the existing ones.
  package mutating func orderUpwards(by expression: ExpressionNode) {
    addOrder(expression, .ascending, nil)
  }
}
