// SPDX-License-Identifier: Apache-2.0
// How the streams of a scenario may share a GPU.

#include <fmt/format.h>

#include "amalthea/quantity.hpp"
#include "analysis/gpu/detail/policies.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "engine/devices/launch_order.hpp"
#include "engine/devices/stream_bounds.hpp"

namespace amalthea::analysis::gpu {
namespace {

using engine::gpu::Context;
using engine::gpu::ContextPriority;
using engine::gpu::StreamOperationKind;
using engine::gpu::StreamPriority;
using engine::gpu::StreamScenario;
using Policies = std::vector<Policy<StreamScenario>>;

/// Orders that a study tries for every variant.
constexpr std::uint64_t most_orders = 120;

std::string label_of(const StreamScenario& scenario, std::size_t index) {
  const auto& stream = scenario.streams[index];
  const std::string name = stream.is_null ? "(NULL)" : stream.name;
  return scenario.contexts.size() > 1 ? fmt::format("{}/{}", scenario.contexts[stream.context].name, name) : name;
}

bool has_slices(const StreamScenario& scenario) { return scenario.contexts.size() > 1 && !scenario.by_urgency; }

std::size_t streams_in(const StreamScenario& scenario, std::size_t context) {
  return static_cast<std::size_t>(std::count_if(scenario.streams.begin(), scenario.streams.end(),
                                                [&](const auto& stream) { return stream.context == context; }));
}

/// All processes in one context, each with at most `sms` SMs at a time; 0: all.
void share_by_mps(StreamScenario& scenario, std::int64_t sms) {
  for (auto& stream : scenario.streams) {
    stream.process = static_cast<std::uint32_t>(stream.context);
    stream.process_sms = sms;
    stream.context = 0;
  }
  scenario.contexts.resize(1);
  scenario.contexts.front().name = "MPS";
}

void add_contexts(const StreamScenario& given, Policies& policies) {
  Policy<StreamScenario> sharing{contexts, "contexts", {}};
  const std::size_t count = given.contexts.size();
  if (count > 1 && !given.device.amd) {
    sharing.choices.push_back({"MPS", [](StreamScenario& variant) { share_by_mps(variant, 0); }});
    const auto share = (given.limits().sms + static_cast<std::int64_t>(count) - 1) / static_cast<std::int64_t>(count);
    sharing.choices.push_back({fmt::format("MPS, each {} of {} SMs", share, given.limits().sms),
                               [share](StreamScenario& variant) { share_by_mps(variant, share); }});
  }
  // A NULL stream, or pageable memory, orders the streams of its process, which would be lost between processes.
  const bool is_coupled = std::any_of(given.streams.begin(), given.streams.end(), [](const auto& stream) {
    return stream.is_null || stream.has_barriers || stream.process > 0 || stream.process_sms > 0;
  });
  if (given.streams.size() > count && !is_coupled)
    sharing.choices.push_back({"one for each stream", [](StreamScenario& variant) {
                                 std::vector<Context> own;
                                 for (std::size_t i = 0; i < variant.streams.size(); ++i) {
                                   own.push_back(variant.contexts[variant.streams[i].context]);
                                   own.back().name = label_of(variant, i);
                                 }
                                 for (std::size_t i = 0; i < own.size(); ++i) variant.streams[i].context = i;
                                 variant.contexts = std::move(own);
                               }});
  policies.push_back(std::move(sharing));
}

/// Slices and priorities of the contexts that the scenario states.
void add_runlist(const StreamScenario& given, Policies& policies) {
  const std::size_t count = given.contexts.size();
  if (count < 2) return;
  for (std::size_t i = 0; i < count; ++i) {
    const Context& context = given.contexts[i];
    const auto matters = [count](const StreamScenario& variant) {
      return has_slices(variant) && variant.contexts.size() == count;
    };
    Policy<StreamScenario> slice{slices, "slice of " + context.name, {}, matters};
    for (const Duration time : explore::usual_time_slices())
      if (time != context.slice)
        slice.choices.push_back(
            {format_duration(time), [i, time](StreamScenario& variant) { variant.contexts.at(i).slice = time; }});
    Policy<StreamScenario> priority{priorities, "runlist priority of " + context.name, {}, matters};
    for (const ContextPriority level : {ContextPriority::high, ContextPriority::medium, ContextPriority::low})
      if (level != context.priority)
        priority.choices.push_back({std::string(name_of(level)),
                                    [i, level](StreamScenario& variant) { variant.contexts.at(i).priority = level; }});
    policies.push_back(std::move(slice));
    policies.push_back(std::move(priority));
  }
  Policy<StreamScenario> scheduling{
      priorities, "scheduling of contexts", {}, [](const auto& variant) { return variant.contexts.size() > 1; }};
  if (given.by_urgency)
    scheduling.choices.push_back({"time slices", [](StreamScenario& variant) { variant.by_urgency = false; }});
  for (std::size_t first = 0; first < count; ++first)
    scheduling.choices.push_back(
        {fmt::format("by priority, {} first", given.contexts[first].name), [first, count](StreamScenario& variant) {
           variant.by_urgency = true;
           for (std::size_t i = 0; i < count; ++i)
             variant.contexts.at(i).urgency = static_cast<std::int64_t>(i == first ? count + 1 : count - i);
         }});
  policies.push_back(std::move(scheduling));
}

void add_streams(const StreamScenario& given, Policies& policies) {
  if (given.device.amd) return;
  for (std::size_t i = 0; i < given.streams.size(); ++i) {
    const bool is_high = given.streams[i].priority == StreamPriority::high;
    const StreamPriority other = is_high ? StreamPriority::low : StreamPriority::high;
    policies.push_back(
        {priorities,
         "priority of stream " + label_of(given, i),
         {{std::string(name_of(other)), [i, other](StreamScenario& variant) { variant.streams[i].priority = other; }}},
         [i](const StreamScenario& variant) { return streams_in(variant, variant.streams[i].context) > 1; }});
  }
}

/// The SMs, whole TPCs of them, divided evenly among the streams with kernels.
void divide_sms(StreamScenario& scenario, const std::vector<std::size_t>& streams) {
  const auto sms = static_cast<std::size_t>(scenario.limits().sms);
  const auto unit = static_cast<std::size_t>(scenario.limits().sms_per_tpc);
  const std::size_t units = (sms + unit - 1) / unit;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    auto& bits = scenario.streams[streams[i]].mask.emplace().bits;
    bits.resize(sms);
    for (std::size_t sm = 0; sm < sms; ++sm) bits[sm] = sm / unit * streams.size() / units == i;
  }
  for (auto& operation : scenario.operations) operation.mask.reset();
}

void add_masks(const StreamScenario& given, Policies& policies) {
  std::vector<std::size_t> computing;
  for (std::size_t i = 0; i < given.streams.size(); ++i)
    if (std::any_of(given.operations.begin(), given.operations.end(), [&](const auto& operation) {
          return operation.stream == i && operation.kind == StreamOperationKind::kernel;
        }))
      computing.push_back(i);
  const auto unit = given.device.amd ? 1 : given.limits().sms_per_tpc;
  Policy<StreamScenario> policy{masks, "masks of SMs", {}};
  if (computing.size() > 1 && static_cast<std::int64_t>(computing.size()) * unit <= given.limits().sms &&
      !given.device.amd)
    policy.choices.push_back(
        {"divided among the streams", [computing](StreamScenario& variant) { divide_sms(variant, computing); }});
  policies.push_back(std::move(policy));
}

void add_grids(const StreamScenario& given, Policies& policies) {
  Policy<StreamScenario> policy{grids, "threads per block", {}};
  for (const std::int64_t threads : threads_of_grids) {
    const auto cut = [threads](StreamScenario& variant) {
      for (auto& operation : variant.operations)
        if (operation.kind == StreamOperationKind::kernel) cut_grid(operation, operation.shape, threads);
    };
    StreamScenario variant = given;
    cut(variant);
    const bool is_same = std::equal(given.operations.begin(), given.operations.end(), variant.operations.begin(),
                                    [](const auto& a, const auto& b) { return a.shape.threads == b.shape.threads; });
    if (threads <= given.limits().threads_per_block && !is_same)
      policy.choices.push_back({fmt::format("{}", threads), cut});
  }
  policies.push_back(std::move(policy));
}

void add_order(const StreamScenario& given, Policies& policies) {
  if (!given.loops.empty()) return;
  policies.push_back({order,
                      "launch order",
                      {{"the best found",
                        [](StreamScenario& variant) {
                          const auto found = engine::gpu::search_launch_orders(variant, {most_orders});
                          if (found) variant = engine::gpu::in_order(variant, found->best.operations);
                        }}},
                      [](const StreamScenario& variant) { return engine::gpu::count_launch_orders(variant, 2) > 1; }});
}

tl::expected<JudgedVariant, std::string> judge(const StreamScenario& given, const std::string& title, bool timeline) {
  auto run = engine::gpu::simulate_streams(given);
  if (!run) return tl::unexpected(run.error());
  StreamScenario scenario = given;
  engine::gpu::append_repeated(scenario, *run);
  JudgedVariant judged;
  judged.times.resize(scenario.streams.size());
  const auto bounds = engine::gpu::stream_bounds(given);
  for (std::size_t i = 0; i < bounds.size(); ++i) judged.times[i].bound = bounds[i];
  engine::Sample all(1000);
  for (std::size_t i = 0; i < scenario.operations.size(); ++i) {
    const Duration response = run->operations[i].completion - scenario.operations[i].release;
    judged.times[scenario.operations[i].stream].response.add(response);
    all.add(response);
  }
  const auto seconds = [](Duration time) { return static_cast<double>(time.picoseconds()) * 1e-12; };
  if (all.count() > 0)
    judged.judgement.objectives = {seconds(all.max()), seconds(all.mean())};
  else
    judged.judgement.objectives = {0, 0};
  if (timeline) judged.timeline = exporter::render_gpu_gantt_svg(scenario, *run, {title});
  return judged;
}

}  // namespace

Outcome<exporter::PolicyStudy> scenario_study(const PolicyStudyRequest& request, const Watch& watch) {
  auto read = stream_scenario(request.scenario, request.platform, watch);
  if (!read) return tl::unexpected(read.error());
  PolicySubject<StreamScenario> subject;
  subject.title = read->title;
  subject.given = std::move(read->scenario);
  const StreamScenario& given = subject.given;
  for (std::size_t i = 0; i < given.streams.size(); ++i) subject.parties.push_back({label_of(given, i)});
  add_runlist(given, subject.policies);
  add_streams(given, subject.policies);
  add_masks(given, subject.policies);
  // Warps of other blocks would execute something else.
  if (std::none_of(given.operations.begin(), given.operations.end(), [](const auto& call) { return call.warps; }))
    add_grids(given, subject.policies);
  add_contexts(given, subject.policies);
  add_order(given, subject.policies);
  subject.judge = [title = subject.title](const StreamScenario& variant, bool timeline) {
    return judge(variant, title, timeline);
  };
  return study_of(std::move(subject), request, watch);
}

}  // namespace amalthea::analysis::gpu
