#include "CFaults.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* A file whose operations may fail before they reach the system's. The system's own file follows it
   in the same memory. */
struct faulty_file {
  sqlite3_file base;
  struct disk_file *disk;
};

static sqlite3_vfs faulty;
static sqlite3_vfs *system_vfs = NULL;
static char watched[1024];

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)((struct faulty_file *)file + 1);
}

static struct disk_file *disk(sqlite3_file *file) { return ((struct faulty_file *)file)->disk; }

#define CALL(file, method, ...) real(file)->pMethods->method(real(file), ##__VA_ARGS__)

#define MEET(operation, otherwise)                        \
  do {                                                    \
    int code_ = faults_meet(operation, otherwise);        \
    if (code_ != SQLITE_OK) return code_;                 \
  } while (0)

static int faulty_close(sqlite3_file *file) {
  int code = CALL(file, xClose);
  disk_close(disk(file));
  file->pMethods = NULL;
  return code;
}

static int faulty_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  MEET(FAULT_READ, SQLITE_IOERR_READ);
  return CALL(file, xRead, bytes, count, offset);
}

static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = faults_meet(FAULT_WRITE, SQLITE_IOERR_WRITE);
  if (code == SQLITE_FULL) count /= 2; /* Half of it still had room. */
  if (code != SQLITE_OK && (code != SQLITE_FULL || count == 0)) return code;
  disk_write(disk(file), bytes, (size_t)count, offset);
  int written = CALL(file, xWrite, bytes, count, offset);
  return code != SQLITE_OK ? code : written;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
  MEET(FAULT_TRUNCATE, SQLITE_IOERR_TRUNCATE);
  disk_truncate(disk(file), size);
  return CALL(file, xTruncate, size);
}

static int faulty_sync(sqlite3_file *file, int flags) {
  MEET(FAULT_SYNC, SQLITE_IOERR_FSYNC);
  int code = CALL(file, xSync, flags);
  if (code == SQLITE_OK) disk_sync(disk(file));
  return code;
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size) {
  MEET(FAULT_SIZE, SQLITE_IOERR_FSTAT);
  return CALL(file, xFileSize, size);
}

static int faulty_lock(sqlite3_file *file, int level) {
  MEET(FAULT_LOCK, SQLITE_IOERR_LOCK);
  return CALL(file, xLock, level);
}

static int faulty_unlock(sqlite3_file *file, int level) { return CALL(file, xUnlock, level); }

static int faulty_check_lock(sqlite3_file *file, int *result) {
  MEET(FAULT_LOCK, SQLITE_IOERR_CHECKRESERVEDLOCK);
  return CALL(file, xCheckReservedLock, result);
}

static int faulty_control(sqlite3_file *file, int operation, void *argument) {
  return CALL(file, xFileControl, operation, argument);
}

static int faulty_sector(sqlite3_file *file) { return CALL(file, xSectorSize); }

static int faulty_characteristics(sqlite3_file *file) { return CALL(file, xDeviceCharacteristics); }

static int faulty_shared_map(
    sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  *memory = NULL;
  MEET(FAULT_SHARED_MAP, SQLITE_IOERR_SHMMAP);
  return CALL(file, xShmMap, page, size, extend, memory);
}

static int faulty_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
  if (flags & SQLITE_SHM_LOCK) MEET(FAULT_SHARED_LOCK, SQLITE_IOERR_SHMLOCK);
  return CALL(file, xShmLock, offset, count, flags);
}

static void faulty_barrier(sqlite3_file *file) { CALL(file, xShmBarrier); }

static int faulty_unmap(sqlite3_file *file, int deletes) { return CALL(file, xShmUnmap, deletes); }

/* Memory maps are refused: reading through them is not an operation that can fail. */
static int faulty_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  (void)file, (void)offset, (void)count;
  *memory = NULL;
  return SQLITE_OK;
}

static int faulty_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  (void)file, (void)offset, (void)memory;
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 3,
    .xClose = faulty_close,
    .xRead = faulty_read,
    .xWrite = faulty_write,
    .xTruncate = faulty_truncate,
    .xSync = faulty_sync,
    .xFileSize = faulty_size,
    .xLock = faulty_lock,
    .xUnlock = faulty_unlock,
    .xCheckReservedLock = faulty_check_lock,
    .xFileControl = faulty_control,
    .xSectorSize = faulty_sector,
    .xDeviceCharacteristics = faulty_characteristics,
    .xShmMap = faulty_shared_map,
    .xShmLock = faulty_shared_lock,
    .xShmBarrier = faulty_barrier,
    .xShmUnmap = faulty_unmap,
    .xFetch = faulty_fetch,
    .xUnfetch = faulty_unfetch,
};

int faults_watch(const char *path) { return path && watched[0] && strstr(path, watched) == path; }

static int faulty_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  /* The system opens its own file at the beginning of the memory, where its methods expect it. */
  if (!faults_watch(name)) return system_vfs->xOpen(system_vfs, name, file, flags, out_flags);
  struct faulty_file *opened = (struct faulty_file *)file;
  opened->base.pMethods = NULL;
  MEET(FAULT_OPEN, SQLITE_CANTOPEN);
  int code = system_vfs->xOpen(system_vfs, name, real(file), flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened->disk = disk_open(name);
  opened->base.pMethods = &methods;
  return SQLITE_OK;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  (void)vfs;
  if (faults_watch(name)) {
    MEET(FAULT_DELETE, SQLITE_IOERR_DELETE);
    disk_delete();
  }
  return system_vfs->xDelete(system_vfs, name, syncs_folder);
}

static int faulty_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  if (faults_watch(name)) MEET(FAULT_ACCESS, SQLITE_IOERR_ACCESS);
  return system_vfs->xAccess(system_vfs, name, flags, result);
}

/* Shortens sleeps while an operation fails for good: SQLite tries some operations on the log again
   and again, which would take ten seconds. Other sleeps keep their length, since they wait for
   another connection: a hundred tries without sleep are over before a thread with a lock runs. */
static int faulty_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  if (faults_fail_for_good() && microseconds > 200) microseconds = 200;
  return system_vfs->xSleep(system_vfs, microseconds);
}

int faults_register(const char *folder) {
  system_vfs = sqlite3_vfs_find(NULL);
  if (!system_vfs) return SQLITE_ERROR;
  snprintf(watched, sizeof watched, "%s", folder);
  faulty = *system_vfs;
  faulty.zName = "faulty";
  faulty.pNext = NULL;
  faulty.szOsFile = system_vfs->szOsFile + (int)sizeof(struct faulty_file);
  faulty.xSleep = faulty_sleep;
  faulty.xOpen = faulty_open;
  faulty.xDelete = faulty_delete;
  faulty.xAccess = faulty_access;
  return sqlite3_vfs_register(&faulty, 1);
}
