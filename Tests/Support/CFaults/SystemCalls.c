#include "CFaults.h"

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Functions that replace the system's own in this process, for the calls that a program makes
   without SQLite, such as giving a finished copy its name. */

static int fails(unsigned operation, const char *path) {
  if (!faults_watch(path) || !faults_meet(operation, SQLITE_IOERR)) return 0;
  errno = EIO;
  return 1;
}

int rename(const char *from, const char *to) {
  if (fails(FAULT_RENAME, from)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to) {
  if (fails(FAULT_LINK, from)) return -1;
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fsync(int descriptor) {
  char name[64], path[1024];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(name, path, sizeof path - 1);
  if (count > 0) {
    path[count] = 0;
    if (fails(FAULT_FORCE, path)) return -1;
  }
  int result = (int)syscall(SYS_fsync, descriptor);
  if (result == 0) disk_forced(descriptor);
  return result;
}
#endif
