import SQLCore
