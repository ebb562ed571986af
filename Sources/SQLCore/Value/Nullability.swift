/// The nullability of types that are not optional; programs do not use it directly.
public enum _NeverNull {}

/// The nullability of optional types; programs do not use it directly.
public enum _MaybeNull {}
