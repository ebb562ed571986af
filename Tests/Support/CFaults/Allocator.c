#include "CFaults.h"

#include <sqlite3.h>
#include <stdatomic.h>

/* SQLite's own allocator, which fails on demand and counts live allocations. */

static sqlite3_mem_methods system_memory;
static atomic_long armed_number = 0;
static atomic_int armed_lasting = 0;
static atomic_long count = 0;
static atomic_long failed = 0;
static atomic_long alive = 0;
static atomic_long bytes = 0;

static int fails(void) {
  long number = atomic_fetch_add(&count, 1) + 1;
  long wanted = atomic_load(&armed_number);
  if (wanted == 0 || number < wanted || (number > wanted && !atomic_load(&armed_lasting)))
    return 0;
  atomic_fetch_add(&failed, 1);
  return 1;
}

static void *allocator_malloc(int size) {
  if (fails()) return NULL;
  void *memory = system_memory.xMalloc(size);
  if (memory) {
    atomic_fetch_add(&alive, 1);
    atomic_fetch_add(&bytes, system_memory.xSize(memory));
  }
  return memory;
}

static void allocator_free(void *memory) {
  if (!memory) return;
  atomic_fetch_sub(&alive, 1);
  atomic_fetch_sub(&bytes, system_memory.xSize(memory));
  system_memory.xFree(memory);
}

static void *allocator_realloc(void *memory, int size) {
  if (fails()) return NULL;
  long before = system_memory.xSize(memory);
  void *moved = system_memory.xRealloc(memory, size);
  if (moved) atomic_fetch_add(&bytes, system_memory.xSize(moved) - before);
  return moved;
}

int allocator_install(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = system_memory;
  methods.xMalloc = allocator_malloc;
  methods.xFree = allocator_free;
  methods.xRealloc = allocator_realloc;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  /* A lookaside buffer would serve most small allocations, and none of them could fail. */
  if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  return code;
}

void allocator_arm(long number, int lasting) {
  atomic_store(&armed_number, 0);
  atomic_store(&count, 0);
  atomic_store(&failed, 0);
  atomic_store(&armed_lasting, lasting);
  atomic_store(&armed_number, number);
}

long allocator_disarm(void) {
  atomic_store(&armed_number, 0);
  return atomic_load(&failed);
}

long allocator_failed(void) { return atomic_load(&failed); }
long allocator_count(void) { return atomic_load(&count); }
long allocator_alive(void) { return atomic_load(&alive); }
long allocator_bytes(void) { return atomic_load(&bytes); }
