extension SelectStatement {
  /// Orders, within what was said before, by one more expression, upwards.
  package mutating func orderUpwards(by expression: ExpressionNode) {
    addOrder(expression, .ascending, nil)
  }
}
