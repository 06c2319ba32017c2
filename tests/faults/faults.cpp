// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command (LD_PRELOAD): one call of the system fails, as calls do where there is no more room, memory
// or permission. AMALTHEA_FAULT="write:3" fails the third call after main has begun, "write:3+" all from there on. The
// file of AMALTHEA_FAULT_HIT exists when a call has failed.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

using Main = int (*)(int, char**, char**);

const char* chosen = "";
std::size_t chosen_length = 0;
long first = 0;
bool for_good = false;
std::atomic<long> calls{0};
std::atomic<bool> counting{false};
Main real_main = nullptr;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

decltype(::fork)* real_fork = nullptr;
decltype(::pthread_create)* real_pthread_create = nullptr;
decltype(::rename)* real_rename = nullptr;
decltype(::fsync)* real_fsync = nullptr;
decltype(::fopen)* real_fopen = nullptr;

bool fails(const char* call, int error) {
  if (!counting || std::strlen(call) != chosen_length || std::strncmp(call, chosen, chosen_length) != 0) return false;
  const long number = ++calls;
  if (for_good ? number < first : number != first) return false;
  if (const char* hit = std::getenv("AMALTHEA_FAULT_HIT"))
    ::syscall(SYS_close, ::syscall(SYS_openat, AT_FDCWD, hit, O_CREAT | O_WRONLY, 0600));
  errno = error;
  return true;
}

bool writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0; }

int begin(int count, char** arguments, char** environment) {
  if (const char* fault = std::getenv("AMALTHEA_FAULT")) {
    const char* colon = std::strchr(fault, ':');
    chosen = fault;
    chosen_length = static_cast<std::size_t>(colon - fault);
    char* end = nullptr;
    first = std::strtol(colon + 1, &end, 10);
    for_good = *end == '+';
  }
  real_fork = next<decltype(::fork)>("fork");
  real_pthread_create = next<decltype(::pthread_create)>("pthread_create");
  real_rename = next<decltype(::rename)>("rename");
  real_fsync = next<decltype(::fsync)>("fsync");
  real_fopen = next<decltype(::fopen)>("fopen64");
  counting = true;
  const int code = real_main(count, arguments, environment);
  counting = false;
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int count, char** arguments, void (*init)(), void (*fini)(), void (*loader)(),
                      void* stack) {
  real_main = main;
  using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(begin, count, arguments, init, fini, loader, stack);
}

void* malloc(std::size_t size) noexcept { return fails("malloc", ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails("malloc", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  return fails("malloc", ENOMEM) ? nullptr : __libc_realloc(old, size);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  return fails("write", ENOSPC) ? -1 : ::syscall(SYS_write, file, bytes, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
  return fails("write", ENOSPC) ? -1 : ::syscall(SYS_writev, file, parts, count);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
  return fails("write", ENOSPC) ? -1 : ::syscall(SYS_pwrite64, file, bytes, size, at);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) { return pwrite64(file, bytes, size, at); }

int fsync(int file) { return fails("fsync", EIO) ? -1 : real_fsync(file); }
int rename(const char* from, const char* to) noexcept { return fails("rename", EACCES) ? -1 : real_rename(from, to); }

int open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  if (writes(flags) && fails("open", EMFILE)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  return open64(path, flags, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  if (std::strpbrk(mode, "wa+") != nullptr && fails("open", EMFILE)) return nullptr;
  return (real_fopen != nullptr ? real_fopen : next<decltype(::fopen)>("fopen64"))(path, mode);
}
std::FILE* fopen(const char* path, const char* mode) { return fopen64(path, mode); }

pid_t fork() noexcept { return fails("fork", EAGAIN) ? -1 : real_fork(); }
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* what) noexcept {
  return fails("thread", EAGAIN) ? EAGAIN : real_pthread_create(thread, attributes, work, what);
}
}
