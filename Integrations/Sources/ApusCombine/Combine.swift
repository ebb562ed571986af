// The only place that names the framework: Apple's Combine, or OpenCombine on systems without
// Combine. `ApusCombine` re-exports the framework.
#if canImport(Combine)
  @_exported import Combine
#else
  @_exported import OpenCombine
  @_exported import OpenCombineDispatch
#endif
import Apus
