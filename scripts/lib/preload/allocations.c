// Counts the calls of malloc() and its like, in the file that ALLOCATION_COUNT names, of 8 bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
static _Atomic long nowhere, *count = &nowhere;

__attribute__((constructor)) static void begin(void) {
  int file = open(getenv("ALLOCATION_COUNT"), O_RDWR);
  if (file >= 0) count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}
void *malloc(size_t size) { return ++*count, __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return ++*count, __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return ++*count, __libc_realloc(old, size); }
void *memalign(size_t to, size_t size) { return ++*count, __libc_memalign(to, size); }
void *aligned_alloc(size_t to, size_t size) { return ++*count, __libc_memalign(to, size); }
int posix_memalign(void **result, size_t to, size_t size) {
  ++*count;
  return (*result = __libc_memalign(to, size)) == NULL ? 12 : 0;
}
