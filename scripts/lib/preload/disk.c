// A disk that fails, for a process that is started with this library in LD_PRELOAD. Counts the calls that change files of the
// folder DISK_FOLDER: creations, writes, truncations, allocations, synchronizations and renamings. Those from a number on, or
// that one alone, fail with an error. The file that DISK_FAULT names holds all that, as 64-bit integers, which may change at
// any time: the number, 0 for none; how many calls fail; the error; whether the disk says then that it has no room left, and
// takes what fits of a write; the room that it says to have otherwise, in bytes, 0 for that of the real one; and the calls so
// far, and those that have failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FIRST, COUNT, ERROR, FULL, ROOM, CALLS, FAILED, FIELDS };

static _Atomic int64_t nothing[FIELDS];
static _Atomic int64_t *fault = nothing;
static const char *folder;
static size_t length;
// Whether a descriptor is of a file in the folder.
static _Atomic char inside[1 << 16];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("DISK_FAULT");
  folder = getenv("DISK_FOLDER");
  int file = path && folder ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  length = strlen(folder);
  void *mapped = mmap(NULL, sizeof nothing, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) fault = mapped;
  syscall(SYS_close, file);
}

static int is_inside(const char *path) { return length > 0 && strncmp(path, folder, length) == 0; }

static int is_watched(int descriptor) {
  return descriptor >= 0 && descriptor < (int)sizeof inside && inside[descriptor];
}

// Counts a call. Returns the error that it fails with, or 0.
static int next(void) {
  int64_t number = ++fault[CALLS], first = fault[FIRST];
  if (first == 0 || number < first || number - first >= fault[COUNT]) return 0;
  fault[FAILED]++;
  return (int)fault[ERROR];
}

static int fail(int error) {
  errno = error;
  return -1;
}

// MARK: Files

static int opened(const char *path, int flags, mode_t mode) {
  int error = is_inside(path) && flags & O_CREAT && access(path, F_OK) != 0 ? next() : 0;
  if (error) return fail(error);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (descriptor >= 0 && descriptor < (int)sizeof inside) inside[descriptor] = (char)is_inside(path);
  return descriptor;
}

#define OPEN(name)                               \
  int name(const char *path, int flags, ...) {   \
    mode_t mode = 0;                             \
    if (flags & (O_CREAT | O_TMPFILE)) {         \
      va_list rest;                              \
      va_start(rest, flags);                     \
      mode = va_arg(rest, mode_t);               \
      va_end(rest);                              \
    }                                            \
    return opened(path, flags, mode);            \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  if (is_watched(descriptor)) inside[descriptor] = 0;
  return (int)syscall(SYS_close, descriptor);
}

// What a full disk takes of a write: nothing if it isn't said to be full, or the blocks that fit.
static size_t fitting(size_t size) { return fault[FULL] ? size / 2 / 512 * 512 : 0; }

ssize_t write(int descriptor, const void *data, size_t size) {
  int error = is_watched(descriptor) ? next() : 0;
  if (error && (size = fitting(size)) == 0) return fail(error);
  return syscall(SYS_write, descriptor, data, size);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
  int error = is_watched(descriptor) ? next() : 0;
  if (error && (size = fitting(size)) == 0) return fail(error);
  return syscall(SYS_pwrite64, descriptor, data, size, offset);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
  return pwrite64(descriptor, data, size, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  int error = is_watched(descriptor) ? next() : 0;
  return error ? fail(error) : syscall(SYS_writev, descriptor, parts, count);
}

int ftruncate64(int descriptor, off64_t size) {
  int error = is_watched(descriptor) ? next() : 0;
  return error ? fail(error) : (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int posix_fallocate64(int descriptor, off64_t offset, off64_t size) {
  int error = is_watched(descriptor) ? next() : 0;
  if (error) return error;
  return syscall(SYS_fallocate, descriptor, 0, offset, size) == 0 ? 0 : errno;
}

int posix_fallocate(int descriptor, off_t offset, off_t size) { return posix_fallocate64(descriptor, offset, size); }

int fsync(int descriptor) {
  int error = is_watched(descriptor) ? next() : 0;
  return error ? fail(error) : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  int error = is_watched(descriptor) ? next() : 0;
  return error ? fail(error) : (int)syscall(SYS_fdatasync, descriptor);
}

int rename(const char *old, const char *new) {
  int error = is_inside(old) ? next() : 0;
  return error ? fail(error) : (int)syscall(SYS_renameat, AT_FDCWD, old, AT_FDCWD, new);
}

// MARK: Room

static int room(const char *path, struct statvfs *found, const char *name) {
  int (*real)(const char *, struct statvfs *) = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, name);
  int result = real(path, found);
  int64_t first = fault[FIRST], past = fault[CALLS] - first + 1;
  if (result != 0 || !is_inside(path)) return result;
  if (fault[ROOM] > 0) found->f_bfree = found->f_bavail = (fsblkcnt_t)fault[ROOM] / found->f_frsize;
  if (fault[FULL] && first > 0 && past >= 0 && past < fault[COUNT]) found->f_bfree = found->f_bavail = 0;
  return result;
}

int statvfs(const char *path, struct statvfs *found) { return room(path, found, "statvfs"); }
int statvfs64(const char *path, struct statvfs64 *found) { return room(path, (struct statvfs *)found, "statvfs64"); }
