// What the stand-in `Darwin` declares, in C. `Scripts/Checks/apple --headers` compiles this file with Apple's
// headers, which `ziglang` of PyPI has: a name that they lack, a value or a type that differs is an error.

#include <TargetConditionals.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VALUE(name, value) _Static_assert((name) == (value), #name)
#define TYPE(name, type) _Static_assert(_Generic((name)0, type: 1, default: 0), #name)
#define FIELD(record, name, type) _Static_assert(_Generic(((record *)0)->name, type: 1, default: 0), #record)
#define FUNCTION(name, ...) _Static_assert(_Generic(&name, __VA_ARGS__: 1, default: 0), #name)

TYPE(mode_t, unsigned short);
TYPE(dev_t, int);
TYPE(ino_t, unsigned long long);
TYPE(rlim_t, unsigned long long);
TYPE(pid_t, int);
TYPE(sa_family_t, unsigned char);
TYPE(socklen_t, unsigned int);
TYPE(sigset_t, unsigned int);
TYPE(posix_spawn_file_actions_t, void *);
TYPE(posix_spawnattr_t, void *);
TYPE(pthread_t, struct _opaque_pthread_t *);
_Static_assert(sizeof(uuid_t) == 16, "uuid_t");
_Static_assert(sizeof(((struct sockaddr_un *)0)->sun_path) == 104, "sun_path");

FIELD(struct stat, st_dev, int);
FIELD(struct stat, st_mode, unsigned short);
FIELD(struct stat, st_ino, unsigned long long);
FIELD(struct stat, st_size, long long);
FIELD(struct timespec, tv_sec, long);
FIELD(struct timespec, tv_nsec, long);
FIELD(struct rlimit, rlim_cur, unsigned long long);
FIELD(struct rlimit, rlim_max, unsigned long long);
FIELD(struct winsize, ws_row, unsigned short);
FIELD(struct winsize, ws_col, unsigned short);
FIELD(struct pollfd, fd, int);
FIELD(struct pollfd, events, short);
FIELD(struct sockaddr_un, sun_family, unsigned char);
FIELD(struct sockaddr_in, sin_family, unsigned char);
FIELD(struct sockaddr_in, sin_port, unsigned short);
FIELD(struct sockaddr_in, sin_addr.s_addr, unsigned int);
FIELD(struct sigaction, __sigaction_u.__sa_handler, void (*)(int));
FIELD(struct sigaction, sa_mask, unsigned int);
FIELD(struct sigaction, sa_flags, int);

// The constants, as the stand-in declares them.
#include "constants.h"

FUNCTION(strerror, char *(*)(int));
FUNCTION(stat, int (*)(const char *, struct stat *));
FUNCTION(lstat, int (*)(const char *, struct stat *));
FUNCTION(fstat, int (*)(int, struct stat *));
FUNCTION(open, int (*)(const char *, int, ...));
FUNCTION(close, int (*)(int));
FUNCTION(dup, int (*)(int));
FUNCTION(read, ssize_t (*)(int, void *, size_t));
FUNCTION(write, ssize_t (*)(int, const void *, size_t));
FUNCTION(fcntl, int (*)(int, int, ...));
FUNCTION(access, int (*)(const char *, int));
FUNCTION(fchmod, int (*)(int, mode_t));
FUNCTION(fsync, int (*)(int));
FUNCTION(unlink, int (*)(const char *));
FUNCTION(rename, int (*)(const char *, const char *));
FUNCTION(link, int (*)(const char *, const char *));
FUNCTION(readlink, ssize_t (*)(const char *, char *, size_t));
FUNCTION(realpath, char *(*)(const char *, char *));
FUNCTION(getcwd, char *(*)(char *, size_t));
FUNCTION(chdir, int (*)(const char *));
FUNCTION(getenv, char *(*)(const char *));
FUNCTION(getrlimit, int (*)(int, struct rlimit *));
FUNCTION(setrlimit, int (*)(int, const struct rlimit *));
FUNCTION(realloc, void *(*)(void *, size_t));
FUNCTION(free, void (*)(void *));
FUNCTION(memcpy, void *(*)(void *, const void *, size_t));
FUNCTION(memcmp, int (*)(const void *, const void *, size_t));
FUNCTION(memset, void *(*)(void *, int, size_t));
FUNCTION(strcmp, int (*)(const char *, const char *));
FUNCTION(strlen, size_t (*)(const char *));
FUNCTION(strdup, char *(*)(const char *));
FUNCTION(vsnprintf, int (*)(char *, size_t, const char *, va_list));
FUNCTION(clock_gettime_nsec_np, unsigned long long (*)(clockid_t));
FUNCTION(clock_gettime, int (*)(clockid_t, struct timespec *));
FUNCTION(nanosleep, int (*)(const struct timespec *, struct timespec *));
FUNCTION(usleep, int (*)(useconds_t));
FUNCTION(pthread_create, int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
FUNCTION(pthread_detach, int (*)(pthread_t));
FUNCTION(pthread_self, pthread_t (*)(void));
FUNCTION(pthread_kill, int (*)(pthread_t, int));
FUNCTION(pthread_sigmask, int (*)(int, const sigset_t *, sigset_t *));
FUNCTION(pthread_mutex_init, int (*)(pthread_mutex_t *, const pthread_mutexattr_t *));
FUNCTION(pthread_mutex_lock, int (*)(pthread_mutex_t *));
FUNCTION(pthread_mutex_unlock, int (*)(pthread_mutex_t *));
FUNCTION(pthread_mutex_destroy, int (*)(pthread_mutex_t *));
FUNCTION(pthread_cond_init, int (*)(pthread_cond_t *, const pthread_condattr_t *));
FUNCTION(pthread_cond_wait, int (*)(pthread_cond_t *, pthread_mutex_t *));
FUNCTION(pthread_cond_signal, int (*)(pthread_cond_t *));
FUNCTION(pthread_cond_broadcast, int (*)(pthread_cond_t *));
FUNCTION(pthread_cond_destroy, int (*)(pthread_cond_t *));
FUNCTION(exit, void (*)(int));
FUNCTION(getpid, pid_t (*)(void));
FUNCTION(kill, int (*)(pid_t, int));
FUNCTION(raise, int (*)(int));
FUNCTION(waitpid, pid_t (*)(pid_t, int *, int));
FUNCTION(pipe, int (*)(int *));
// Only the tool uses these, on a Mac.
#if !TARGET_OS_TV && !TARGET_OS_WATCH
FUNCTION(posix_spawn_file_actions_init, int (*)(posix_spawn_file_actions_t *));
FUNCTION(posix_spawn_file_actions_destroy, int (*)(posix_spawn_file_actions_t *));
FUNCTION(posix_spawn_file_actions_adddup2, int (*)(posix_spawn_file_actions_t *, int, int));
FUNCTION(posix_spawn_file_actions_addclose, int (*)(posix_spawn_file_actions_t *, int));
FUNCTION(
    posix_spawn, int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                         const posix_spawnattr_t *, char *const *, char *const *));
#endif
FUNCTION((signal), void (*(*)(int, void (*)(int)))(int));
FUNCTION(sigaction, int (*)(int, const struct sigaction *, struct sigaction *));
FUNCTION((sigemptyset), int (*)(sigset_t *));
FUNCTION((sigaddset), int (*)(sigset_t *, int));
FUNCTION(ioctl, int (*)(int, unsigned long, ...));
FUNCTION(isatty, int (*)(int));
FUNCTION(inet_addr, unsigned int (*)(const char *));
FUNCTION(socket, int (*)(int, int, int));
FUNCTION(setsockopt, int (*)(int, int, int, const void *, socklen_t));
FUNCTION(socketpair, int (*)(int, int, int, int *));
FUNCTION(bind, int (*)(int, const struct sockaddr *, socklen_t));
FUNCTION(connect, int (*)(int, const struct sockaddr *, socklen_t));
FUNCTION(listen, int (*)(int, int));
FUNCTION(accept, int (*)(int, struct sockaddr *, socklen_t *));
FUNCTION(shutdown, int (*)(int, int));
FUNCTION(send, ssize_t (*)(int, const void *, size_t, int));
FUNCTION(recv, ssize_t (*)(int, void *, size_t, int));
FUNCTION(poll, int (*)(struct pollfd *, nfds_t, int));
