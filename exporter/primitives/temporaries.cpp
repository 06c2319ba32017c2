// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/temporaries.hpp"

#include <atomic>
#include <csignal>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

namespace amalthea::exporter {

class TemporaryEntry {
 public:
  std::string path;
  std::atomic<pid_t> owner{0};  ///< 0: the entry is free. A forked process does not own the files of its parent
  TemporaryEntry* next = nullptr;
};

namespace {

/// Entries are used again and never freed, so that the handler can read the list at any time.
std::atomic<TemporaryEntry*> entries{nullptr};
std::atomic<bool> ending{false};
std::mutex adding;

static_assert(std::atomic<TemporaryEntry*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

void remove_and_end(int signal) {
  remove_temporaries();
  // The signal is blocked while its handler runs; it ends the process as soon as the handler returns.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
  ::raise(signal);
}

}  // namespace

TemporaryEntry* remember_temporary(const std::string& path) {
  const std::lock_guard lock(adding);
  // The handler may be reading the paths in another thread; the process ends in a moment.
  while (ending) ::pause();
  TemporaryEntry* entry = entries;
  while (entry != nullptr && entry->owner != 0) entry = entry->next;
  if (entry != nullptr) {
    entry->path = path;
  } else {
    entry = new TemporaryEntry;
    entry->path = path;
    entry->next = entries;
    entries = entry;
  }
  entry->owner = ::getpid();
  return entry;
}

void remove_temporaries() {
  ending = true;
  const pid_t self = ::getpid();
  for (const TemporaryEntry* entry = entries; entry != nullptr; entry = entry->next)
    if (entry->owner == self) ::unlink(entry->path.c_str());
}

void forget_temporary(TemporaryEntry* entry) { entry->owner = 0; }

bool leads_to(const std::string& path, int descriptor) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

void remove_temporaries_on_signals() {
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  ::sigfillset(&action.sa_mask);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace amalthea::exporter
