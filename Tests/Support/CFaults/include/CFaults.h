#ifndef CFAULTS_H
#define CFAULTS_H

/* The users of this header also call SQLite's C interface. */
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Layers that tests put beneath SQLite: files that fail, a disk whose power is cut, memory that
   ends. Each affects the whole process, and none is part of the library. */

/* MARK: Files that fail (FaultyFiles.c, SystemCalls.c, Faults.c) */

enum fault_operation {
  FAULT_OPEN = 1,
  FAULT_READ = 2,
  FAULT_WRITE = 4,
  FAULT_SYNC = 8,
  FAULT_TRUNCATE = 16,
  FAULT_LOCK = 32,
  FAULT_SHARED_MAP = 64,
  FAULT_SHARED_LOCK = 128,
  FAULT_DELETE = 256,
  FAULT_ACCESS = 512,
  FAULT_SIZE = 1024,
  /* Calls of the program itself, on Linux only: renaming, linking and `fsync`. */
  FAULT_RENAME = 2048,
  FAULT_LINK = 4096,
  FAULT_FORCE = 8192,
};

/* Registers, as the default VFS, the system's VFS with faults for the files whose path begins with
   a text. Other files are opened as usual. Call it once; returns SQLite's result code. */
int faults_register(const char *folder);

/* Makes the operation with the given number, from 1, among those of the given kinds fail with a
   result code and, if `lasting`, all after it. Counting starts again. With the code 0, nothing
   fails. */
void faults_arm(unsigned operations, long number, int code, int lasting);

/* Ends all faults, and returns how many operations failed. */
long faults_disarm(void);

/* Returns how many operations failed since the last `faults_arm`. */
long faults_failed(void);

/* Returns how many operations of these kinds there were since the last `faults_arm`. */
long faults_count(unsigned operations);

/* MARK: A disk whose power is cut (Disk.c) */

/* Begins to record, for each watched file, what has reached the disk. What is written and not yet
   forced there may be lost in any part; everything that was written before is on the disk. */
void disk_begin(void);
void disk_end(void);

/* Returns how many writes, truncations, syncs and deletions there were since `disk_begin`. */
long disk_operation_count(void);

/* Plans a cut: before the operation with the given number, the files are written into a folder,
   which must exist, as they may be after a power cut at that moment. Returns 0 if there are too
   many cuts. */
int disk_cut_at(long operation, uint64_t seed, const char *folder);

/* Note the last step that was acknowledged, and the last that began; each cut records both. */
void disk_acknowledge(long number);
void disk_begin_step(long number);

/* Return the steps that a cut recorded, by its index in the order of `disk_cut_at`; -1 if it was
   never met. */
long disk_acknowledged_at(int cut);
long disk_begun_at(int cut);

/* MARK: Memory that ends (Allocator.c) */

/* Gives SQLite an allocator that can fail. Call it before SQLite is used at all. */
int allocator_install(void);
/* Makes the allocation with the given number, from 1, fail and, if `lasting`, all after it. */
void allocator_arm(long number, int lasting);
/* Ends all failures, and returns how many allocations failed. */
long allocator_disarm(void);
/* Returns how many allocations failed since `allocator_arm`. */
long allocator_failed(void);
/* Returns how many allocations there were since `allocator_arm`. */
long allocator_count(void);
/* Return the number of live allocations, and of their bytes. */
long allocator_alive(void);
long allocator_bytes(void);

/* MARK: For the files of this target only */

int faults_fail_for_good(void);
int faults_meet(unsigned operation, int otherwise);
int faults_watch(const char *path);

struct disk_file;
struct disk_file *disk_open(const char *path);
void disk_close(struct disk_file *file);
void disk_write(struct disk_file *file, const void *bytes, size_t count, int64_t offset);
void disk_truncate(struct disk_file *file, int64_t size);
void disk_sync(struct disk_file *file);
void disk_delete(void);
void disk_forced(int descriptor);

#endif
