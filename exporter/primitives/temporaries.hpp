// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files that exist only until they are renamed, and what removes them when a signal ends the process first.

#include <string>

namespace amalthea::exporter {

/// The entry of one temporary file in the list that the signal handler reads.
class TemporaryEntry;

/// Adds a file to the list; valid until `forget_temporary`.
TemporaryEntry* remember_temporary(const std::string& path);
void forget_temporary(TemporaryEntry* entry);

/// Removes the temporary files of this process, which ends at once after that. Safe in a signal handler.
void remove_temporaries();

/// Whether the path still leads to the open file: another process may have removed or replaced it meanwhile.
bool leads_to(const std::string& path, int descriptor);

/// From now on SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE and SIGXCPU remove the temporary files of this process, and then
/// end it as they do by default. A signal that the caller ignores stays ignored. A file that exceeds the limit on its
/// size is a failed write (EFBIG), not the signal SIGXFSZ. For programs only: a library leaves signals alone.
void remove_temporaries_on_signals();

}  // namespace amalthea::exporter
