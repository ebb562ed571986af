// This is the only file that imports the framework: Apple's Combine, or OpenCombine on systems that
// do not have Combine. `ApusCombine` re-exports the framework.
#if canImport(Combine)
  @_exported import Combine
#else
  @_exported import OpenCombine
  @_exported import OpenCombineDispatch
#endif
import Apus
