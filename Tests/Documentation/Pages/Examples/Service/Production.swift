import Apus
import ApusHummingbird
import Hummingbird
import OrderModels
private let db = try Database.inMemory(models: OrderStore.models)
