#include "CCountingVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A table of file methods with an xSync that counts, and the table that it was copied from. SQLite
   has few such tables: one for files with locks and one for files without. */
struct counted_methods {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *original;
};

static struct counted_methods tables[8];
static int table_count = 0;
static pthread_mutex_t tables_mutex = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_vfs counting;
static sqlite3_vfs *system_vfs = NULL;
static char counted_part[1024];
static atomic_long sync_count = 0;

static int counting_sync(sqlite3_file *file, int flags) {
  atomic_fetch_add(&sync_count, 1);
  return ((const struct counted_methods *)file->pMethods)->original->xSync(file, flags);
}

static const sqlite3_io_methods *counted(const sqlite3_io_methods *original) {
  const sqlite3_io_methods *found = original;
  pthread_mutex_lock(&tables_mutex);
  int index = 0;
  while (index < table_count && tables[index].original != original) index++;
  if (index == table_count && index < 8) {
    tables[index].methods = *original;
    tables[index].methods.xSync = counting_sync;
    tables[index].original = original;
    table_count++;
  }
  if (index < table_count) found = &tables[index].methods;
  pthread_mutex_unlock(&tables_mutex);
  return found;
}

static int counting_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags) {
  int code = system_vfs->xOpen(system_vfs, name, file, flags, out_flags);
  if (code == SQLITE_OK && file->pMethods && name && strstr(name, counted_part))
    file->pMethods = counted(file->pMethods);
  return code;
}

int counting_vfs_register(const char *part_of_path) {
  system_vfs = sqlite3_vfs_find(NULL);
  if (!system_vfs) return SQLITE_ERROR;
  snprintf(counted_part, sizeof counted_part, "%s", part_of_path);
  counting = *system_vfs;
  counting.zName = "counting";
  counting.pNext = NULL;
  counting.xOpen = counting_open;
  return sqlite3_vfs_register(&counting, 1);
}

long counting_vfs_sync_count(void) { return atomic_load(&sync_count); }
