// SPDX-License-Identifier: Apache-2.0
// Traces from anywhere: every event is about entities that were announced, or the trace is refused with a reason.

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/fuzz/fuzz.hpp"
#include "traces/trace_reader.hpp"

using namespace amalthea;

namespace {

class Sink final : public traces::TraceSink {
 public:
  void entity(const traces::Entity&) override { ++entities_; }
  void event(const traces::Event& event) override {
    fuzz::require(event.target < entities_);
    fuzz::require(event.source < entities_ || event.source == traces::no_entity);
    fuzz::require(event.time <= Instant::at(longest_simulation));
  }
  void problem(const traces::Problem& problem) override { fuzz::require(!problem.message.empty()); }

 private:
  traces::EntityIndex entities_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("trace", MFD_CLOEXEC);
  static const std::string path = fmt::format("/proc/self/fd/{}", file);
  fuzz::require(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  Sink sink;
  traces::TraceReport report;
  traces::TraceInput input{path, {}, {}};
  input.limits.max_names = 1000;
  const auto read = traces::read_trace(input, sink, report);
  fuzz::require(read.has_value() || !read.error().empty());
  return 0;
}
