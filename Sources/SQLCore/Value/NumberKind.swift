// The kinds of numbers, for the compiler. Some operators of queries exist only for their error
// messages; they use the kinds to find operands that do not go together.

/// The kind of a number.
public protocol _NumberKind {}

/// The kind of a number that goes with those of another such kind: an integer and a real number.
public protocol _BinaryNumberKind: _NumberKind {}

/// The kind of a number that goes only with its own type.
public protocol _SeparateNumberKind: _NumberKind {}

/// The kind of a type that is not a number.
public enum _NotANumberKind {}

/// The kind of Int.
public enum _IntegerKind: _BinaryNumberKind {}

/// The kind of the other integers, such as Int64, which do not go with an Int.
public enum _SizedIntegerKind: _BinaryNumberKind {}

/// The kind of Double.
public enum _RealKind: _BinaryNumberKind {}

/// The kind of Decimal, of Float, and of the numbers that a program declares.
public enum _OwnNumberKind: _SeparateNumberKind {}
