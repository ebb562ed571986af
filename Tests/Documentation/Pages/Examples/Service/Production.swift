import Apus
import ApusHummingbird
import Hummingbird
import OrderModels
private let db: Database = unavailable()
