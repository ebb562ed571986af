#include "CFaults.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The content of a disk: for each file, the bytes that were forced there and, in order, what was
   written since. After a power cut, any part of the latter may be there: each sector of each write,
   or half of it, or none. Names of files are there at once. */

#define SECTOR 512
#define MAXIMUM_FILES 256
#define MAXIMUM_CUTS 4096

struct entry {
  int64_t offset; /* The offset of a write, or the size after a truncation, whose bytes are NULL. */
  size_t count;
  unsigned char *bytes;
};

struct disk_file {
  /* Kept open, so that no other file gets its inode number. */
  int descriptor;
  dev_t device;
  ino_t number;
  int users;
  /* Whether the run of the file has ended, although SQLite still has it open. */
  int is_left;
  unsigned char *bytes;
  size_t count, capacity;
  struct entry *entries;
  size_t entry_count, entry_capacity;
};

struct cut {
  long operation;
  uint64_t seed;
  char folder[512];
  long acknowledged, begun;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct disk_file *files[MAXIMUM_FILES];
static int file_count = 0;
static char disk_folder[1024];
static atomic_int is_on = 0;
static long operation_count = 0;
static struct cut *cuts = NULL;
static int cut_count = 0;
static atomic_long acknowledged = 0, begun = 0;

/* MARK: Bytes */

static void store(struct disk_file *file, const void *bytes, size_t count, size_t offset) {
  size_t end = offset + count;
  if (end > file->capacity) {
    size_t capacity = end * 2;
    file->bytes = realloc(file->bytes, capacity);
    file->capacity = capacity;
  }
  if (end > file->count) {
    if (offset > file->count) memset(file->bytes + file->count, 0, offset - file->count);
    file->count = end;
  }
  memcpy(file->bytes + offset, bytes, count);
}

static void cut_short(struct disk_file *file, size_t size) { if (size < file->count) file->count = size; }

static void append(struct disk_file *file, struct entry entry) {
  if (file->entry_count == file->entry_capacity) {
    file->entry_capacity = file->entry_capacity ? file->entry_capacity * 2 : 64;
    file->entries = realloc(file->entries, file->entry_capacity * sizeof(struct entry));
  }
  file->entries[file->entry_count++] = entry;
}

static void forget_entries(struct disk_file *file) {
  for (size_t index = 0; index < file->entry_count; index++) free(file->entries[index].bytes);
  file->entry_count = 0;
}

static void settle(struct disk_file *file) {
  for (size_t index = 0; index < file->entry_count; index++) {
    struct entry *entry = &file->entries[index];
    if (entry->bytes) store(file, entry->bytes, entry->count, (size_t)entry->offset);
    else cut_short(file, (size_t)entry->offset);
  }
  forget_entries(file);
}

static void release(struct disk_file *file) {
  forget_entries(file);
  close(file->descriptor);
  free(file->entries);
  free(file->bytes);
  free(file);
}

/* MARK: A power cut */

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/* Makes a file as a cut may leave it: the bytes that were forced, and a random part of the rest. */
static void keep_some(struct disk_file *image, const struct disk_file *file, uint64_t *random) {
  static const unsigned chances[] = {0, 10, 50, 90, 100};
  unsigned chance = chances[next(random) % 5];
  for (size_t index = 0; index < file->entry_count; index++) {
    const struct entry *entry = &file->entries[index];
    if (!entry->bytes) {
      if (next(random) % 100 < chance) cut_short(image, (size_t)entry->offset);
      continue;
    }
    size_t from = 0;
    while (from < entry->count) {
      size_t at = (size_t)entry->offset + from;
      size_t part = SECTOR - at % SECTOR;
      if (part > entry->count - from) part = entry->count - from;
      unsigned lot = next(random) % 100;
      if (lot < chance) {
        /* One write in twenty is torn. */
        size_t kept = next(random) % 20 ? part : next(random) % part;
        store(image, entry->bytes + from, kept, at);
      } else if (at + part > image->count && next(random) % 2) {
        /* The file has grown, and has the earlier content of the disk there. */
        unsigned char waste[SECTOR];
        for (size_t i = 0; i < part; i++) waste[i] = (unsigned char)next(random);
        store(image, waste, part, at);
      }
      from += part;
    }
  }
}

static void write_image(const char *path, const unsigned char *bytes, size_t count) {
  FILE *out = fopen(path, "wb");
  if (!out || (count && fwrite(bytes, 1, count, out) != count)) abort();
  fclose(out);
}

static void copy_plain(int from, const char *path) {
  struct disk_file image = {0};
  unsigned char part[65536];
  ssize_t count;
  int64_t offset = 0;
  while ((count = pread(from, part, sizeof part, offset)) > 0) {
    store(&image, part, (size_t)count, (size_t)offset);
    offset += count;
  }
  write_image(path, image.bytes, image.count);
  free(image.bytes);
}

static struct disk_file *find(const struct stat *status) {
  for (int index = 0; index < file_count; index++)
    if (files[index]->number == status->st_ino && files[index]->device == status->st_dev)
      return files[index];
  return NULL;
}

static void make_cut(struct cut *cut) {
  uint64_t random = cut->seed;
  DIR *folder = opendir(disk_folder);
  if (!folder) abort();
  struct dirent *item;
  while ((item = readdir(folder))) {
    char from[2048], to[2048];
    snprintf(from, sizeof from, "%s/%s", disk_folder, item->d_name);
    snprintf(to, sizeof to, "%s/%s", cut->folder, item->d_name);
    struct stat status;
    size_t length = strlen(item->d_name);
    /* Shared memory is lost with the power. */
    if (length > 4 && strcmp(item->d_name + length - 4, "-shm") == 0) continue;
    if (stat(from, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    struct disk_file *file = find(&status);
    if (!file) {
      /* It was not written through SQLite, so opening and closing it releases no lock. */
      int descriptor = open(from, O_RDONLY);
      if (descriptor < 0) continue;
      copy_plain(descriptor, to);
      close(descriptor);
      continue;
    }
    struct disk_file image = {0};
    store(&image, file->bytes, file->count, 0);
    keep_some(&image, file, &random);
    write_image(to, image.bytes, image.count);
    free(image.bytes);
  }
  closedir(folder);
  cut->acknowledged = atomic_load(&acknowledged);
  cut->begun = atomic_load(&begun);
}

/* Called with the mutex held, before each operation on the disk. */
static void will_operate(void) {
  operation_count++;
  for (int index = 0; index < cut_count; index++)
    if (cuts[index].operation == operation_count) make_cut(&cuts[index]);
}

/* MARK: Called by files */

struct disk_file *disk_open(const char *path) {
  if (!atomic_load(&is_on)) return NULL;
  struct stat status;
  if (stat(path, &status) != 0) return NULL;
  pthread_mutex_lock(&mutex);
  if (!disk_folder[0]) {
    const char *slash = strrchr(path, '/');
    snprintf(disk_folder, sizeof disk_folder, "%.*s", (int)(slash - path), path);
  }
  struct disk_file *file = find(&status);
  if (!file) {
    if (file_count == MAXIMUM_FILES) abort();
    file = calloc(1, sizeof *file);
    file->descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (file->descriptor < 0) abort();
    file->device = status.st_dev;
    file->number = status.st_ino;
    unsigned char part[65536];
    ssize_t count;
    while ((count = pread(file->descriptor, part, sizeof part, (off_t)file->count)) > 0)
      store(file, part, (size_t)count, file->count);
    files[file_count++] = file;
  }
  file->users++;
  pthread_mutex_unlock(&mutex);
  return file;
}

void disk_close(struct disk_file *file) {
  if (!file) return;
  pthread_mutex_lock(&mutex);
  file->users--;
  if (file->users == 0 && file->is_left) release(file);
  pthread_mutex_unlock(&mutex);
}

void disk_write(struct disk_file *file, const void *bytes, size_t count, int64_t offset) {
  if (!file || file->is_left || !atomic_load(&is_on)) return;
  pthread_mutex_lock(&mutex);
  will_operate();
  struct entry entry = {offset, count, malloc(count)};
  memcpy(entry.bytes, bytes, count);
  append(file, entry);
  pthread_mutex_unlock(&mutex);
}

void disk_truncate(struct disk_file *file, int64_t size) {
  if (!file || file->is_left || !atomic_load(&is_on)) return;
  pthread_mutex_lock(&mutex);
  will_operate();
  append(file, (struct entry){size, 0, NULL});
  pthread_mutex_unlock(&mutex);
}

void disk_sync(struct disk_file *file) {
  if (!file || file->is_left || !atomic_load(&is_on)) return;
  pthread_mutex_lock(&mutex);
  will_operate();
  settle(file);
  pthread_mutex_unlock(&mutex);
}

void disk_delete(void) {
  if (!atomic_load(&is_on)) return;
  pthread_mutex_lock(&mutex);
  will_operate();
  pthread_mutex_unlock(&mutex);
}

void disk_forced(int descriptor) {
  struct stat status;
  if (!atomic_load(&is_on) || fstat(descriptor, &status) != 0) return;
  pthread_mutex_lock(&mutex);
  struct disk_file *file = find(&status);
  if (file) {
    will_operate();
    settle(file);
  }
  pthread_mutex_unlock(&mutex);
}

/* MARK: Called by trials */

void disk_begin(void) {
  pthread_mutex_lock(&mutex);
  disk_folder[0] = 0;
  operation_count = 0;
  cut_count = 0;
  atomic_store(&acknowledged, 0);
  atomic_store(&begun, 0);
  if (!cuts) cuts = calloc(MAXIMUM_CUTS, sizeof *cuts);
  atomic_store(&is_on, 1);
  pthread_mutex_unlock(&mutex);
}

void disk_end(void) {
  pthread_mutex_lock(&mutex);
  atomic_store(&is_on, 0);
  for (int index = 0; index < file_count; index++) {
    if (files[index]->users == 0) release(files[index]);
    else files[index]->is_left = 1;
  }
  file_count = 0;
  pthread_mutex_unlock(&mutex);
}

/* Called while nothing writes. */
long disk_operation_count(void) { return operation_count; }

int disk_cut_at(long operation, uint64_t seed, const char *folder) {
  pthread_mutex_lock(&mutex);
  int fits = cut_count < MAXIMUM_CUTS;
  if (fits) {
    struct cut *cut = &cuts[cut_count++];
    cut->operation = operation;
    cut->seed = seed;
    snprintf(cut->folder, sizeof cut->folder, "%s", folder);
    cut->acknowledged = cut->begun = -1;
  }
  pthread_mutex_unlock(&mutex);
  return fits;
}

void disk_acknowledge(long number) { atomic_store(&acknowledged, number); }
void disk_begin_step(long number) { atomic_store(&begun, number); }
long disk_acknowledged_at(int cut) { return cuts[cut].acknowledged; }
long disk_begun_at(int cut) { return cuts[cut].begun; }
