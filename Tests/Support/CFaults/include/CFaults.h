#ifndef CFAULTS_H
#define CFAULTS_H

/* Those who try with these files speak with SQLite's C interface, too. */
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* What tests put beneath SQLite: files that fail, a disk whose power is cut, memory that ends.
   Everything is for one process, and nothing of it is in the library. */

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
  /* Calls of the program itself, where there is Linux: a new name, and `fsync`. */
  FAULT_RENAME = 2048,
  FAULT_LINK = 4096,
  FAULT_FORCE = 8192,
};

/* Registers, as the default, the system's file layer with faults for the files below a folder.
   Others are opened as ever. Call it once; returns SQLite's result code. */
int faults_register(const char *folder);

/* Lets the operation of that number, from 1, among those of the kinds given fail with a result code;
   `lasting`: and all behind it. Counting begins anew. With the code 0 nothing fails. */
void faults_arm(unsigned operations, long number, int code, int lasting);

/* Nothing fails any more; returns how many did. */
long faults_disarm(void);

/* How many failed since the last `faults_arm`. */
long faults_failed(void);

/* How many operations of these kinds there were since the last `faults_arm`. */
long faults_count(unsigned operations);

/* MARK: A disk whose power is cut (Disk.c) */

/* From now on it is known of each watched file what has reached the disk; what was written and not
   yet forced there may be lost, in any part. Everything that was written before is on the disk. */
void disk_begin(void);
void disk_end(void);

/* How many times the disk was written to, or a file deleted, since `disk_begin`. */
long disk_operation_count(void);

/* Before the operation of that number, writes into a folder, which must exist, the files as they
   may be after a power cut at that moment, and goes on. Returns 0 if there are too many. */
int disk_cut_at(long operation, uint64_t seed, const char *folder);

/* What whoever writes was told is done; a cut notes the number that stands at its moment. */
void disk_acknowledge(long number);
void disk_begin_step(long number);

/* Of the cut in the order of `disk_cut_at`: the numbers at its moment; -1 if it was never met. */
long disk_acknowledged_at(int cut);
long disk_begun_at(int cut);

/* MARK: Memory that ends (Allocator.c) */

/* Before SQLite is used at all: its memory comes from an allocator that can fail. */
int allocator_install(void);
/* The allocation of that number, from 1, fails; `lasting`: and all behind it. */
void allocator_arm(long number, int lasting);
/* Nothing fails any more; returns how many did. */
long allocator_disarm(void);
/* How many failed since `allocator_arm`. */
long allocator_failed(void);
/* How many allocations there were since `allocator_arm`. */
long allocator_count(void);
/* How many are alive, and how many bytes they have. */
long allocator_alive(void);
long allocator_bytes(void);

/* MARK: For the files of this target alone */

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
