// SPDX-License-Identifier: Apache-2.0
// The drawing of `amalthea gpu run --timeline`, of the GPU of a system.

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "engine/gpu/contexts.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/gpu/gpu_recording.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {
namespace {

class SvgWriter final : public TraceWriter {
 public:
  SvgWriter(NewFile file, std::string path, std::string title)
      : file_(std::move(file)), path_(std::move(path)), title_(std::move(title)) {}

  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }

  void begins(const engine::SimulationInput& input) override {
    const System& system = input.system;
    for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
      const engine::DeviceProfile* profile = input.devices[unit];
      if (profile == nullptr || engine::contexts_on(system, unit, *profile).empty()) continue;
      ++gpus_;
      recording_.emplace(system, unit, *profile, std::numeric_limits<std::size_t>::max());
    }
    if (recording_) recording_->begins(input);
  }
  void operation(const engine::OperationChange& change) override {
    events_ += change.what == engine::ProcessEvent::activate ? 1 : 0;
    if (recording_) recording_->operation(change);
  }
  void block(const engine::BlockChange& change) override {
    events_ += change.begins ? 1 : 0;
    if (recording_) recording_->block(change);
  }
  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override {
    ++events_;
    if (recording_) recording_->served(unit, slice);
  }

  tl::expected<void, std::string> finish() override {
    if (gpus_ != 1)
      return tl::unexpected(fmt::format("{}: a drawing shows one GPU, and this model has tasks on {}", path_,
                                        gpus_ == 0 ? "none" : "several"));
    const auto streams = std::move(*recording_).take();
    file_.write(render_gpu_gantt_svg(streams.scenario, streams.run, {title_}));
    return file_.commit();
  }
  std::uint64_t size() override {
    constexpr std::uint64_t bytes_of_bar = 300;
    return events_ * bytes_of_bar;
  }

 private:
  NewFile file_;
  std::string path_, title_;
  std::size_t gpus_ = 0;
  std::optional<GpuRecording> recording_;
  std::uint64_t events_ = 0;  ///< that become bars
};

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_svg(const std::string& path,
                                                                       const TraceFacts& facts) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  // As of a scenario: the name of the file. Several files are named in full.
  const bool one = facts.input.find(' ') == std::string::npos;
  return std::make_unique<SvgWriter>(std::move(*file), path,
                                     one ? std::filesystem::path(facts.input).filename().string() : facts.input);
}

}  // namespace amalthea::exporter
