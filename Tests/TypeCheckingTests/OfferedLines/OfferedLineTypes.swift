import Apus
import Foundation

// The types of the columns of `OfferedModels`. The program that the compiler is asked about has
// them as well: the whole file is copied into it.

enum Temper: String, ColumnValue { case calm, wild }

enum Outer {
  enum Mood: String, ColumnValue { case calm, wild }
  enum Grade: Int, ColumnValue { case low, high }
}

struct Box<Value> {
  enum Mood: String, ColumnValue { case calm, wild }
}
