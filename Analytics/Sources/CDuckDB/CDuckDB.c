#include "CDuckDB.h"

#include <stdlib.h>
#include <string.h>

adb_functions adb_found;

#if defined(_WIN32)

void *adb_load(const char *path, bool isGlobal, char **error) {
  (void)path;
  (void)isGlobal;
  *error = _strdup("DuckDB is not loaded on Windows");
  return NULL;
}

static void *symbol(void *handle, const char *name) {
  (void)handle;
  (void)name;
  return NULL;
}

#else

#include <dlfcn.h>

void *adb_load(const char *path, bool isGlobal, char **error) {
  void *handle = dlopen(path, RTLD_LAZY | (isGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == NULL) {
    const char *message = dlerror();
    *error = strdup(message == NULL ? "the loader gives no reason" : message);
  }
  return handle;
}

static void *symbol(void *handle, const char *name) { return dlsym(handle, name); }

#endif

const char *adb_find(void *handle) {
  adb_functions functions;
  void *address;
  // ISO C has no conversion from an object's address to a function's; POSIX demands that this works.
#define ADB_FIND(RESULT, NAME, ARGUMENTS, ...)           \
  address = symbol(handle, "duckdb_" #NAME);             \
  if (address == NULL) return "duckdb_" #NAME;           \
  memcpy(&functions.NAME, &address, sizeof(address));
  ADB_FUNCTIONS(ADB_FIND)
#undef ADB_FIND
  adb_found = functions;
  return NULL;
}

const char *adb_version(void *handle) {
  void *address = symbol(handle, "duckdb_library_version");
  const char *(*version)(void);
  if (address == NULL) return NULL;
  memcpy(&version, &address, sizeof(address));
  return version();
}
