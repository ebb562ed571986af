// The only place that names the framework: Apple's Combine, or OpenCombine where the system has
// none. Programs that import `ApusCombine` get its names with it.
#if canImport(Combine)
  @_exported import Combine
#else
  @_exported import OpenCombine
  @_exported import OpenCombineDispatch
#endif
import Apus
