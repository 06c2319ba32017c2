// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/activity.hpp"

#include <array>

namespace amalthea {

Guard::Guard() = default;
Guard::Guard(Otherwise kind) : GuardKinds(kind) {}
Guard::Guard(ModeCondition kind) : GuardKinds(std::move(kind)) {}
Guard::Guard(Probability kind) : GuardKinds(kind) {}
Guard::Guard(EveryNth kind) : GuardKinds(kind) {}
Guard::Guard(const Guard&) = default;
Guard::Guard(Guard&&) noexcept = default;
Guard& Guard::operator=(const Guard&) = default;
Guard& Guard::operator=(Guard&&) noexcept = default;
Guard::~Guard() = default;

Activity::Activity() = default;
Activity::Activity(Call kind) : ActivityKinds(kind) {}
Activity::Activity(ReadLabel kind) : ActivityKinds(kind) {}
Activity::Activity(WriteLabel kind) : ActivityKinds(kind) {}
Activity::Activity(Compute kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(Trigger kind) : ActivityKinds(kind) {}
Activity::Activity(SetEvents kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(ClearEvents kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(WaitEvents kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(Copy kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(Kernel kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(UseSemaphore kind) : ActivityKinds(kind) {}
Activity::Activity(Branch kind) : ActivityKinds(std::move(kind)) {}
Activity::Activity(SetMode kind) : ActivityKinds(kind) {}
Activity::Activity(SchedulePoint kind) : ActivityKinds(kind) {}
Activity::Activity(Terminate kind) : ActivityKinds(kind) {}
Activity::Activity(Uninterruptible kind) : ActivityKinds(kind) {}
Activity::Activity(const Activity&) = default;
Activity::Activity(Activity&&) noexcept = default;
Activity& Activity::operator=(const Activity&) = default;
Activity& Activity::operator=(Activity&&) noexcept = default;
Activity::~Activity() = default;

bool holds(std::int64_t left, Relation relation, std::int64_t right) {
  switch (relation) {
    case Relation::equal:
      return left == right;
    case Relation::not_equal:
      return left != right;
    case Relation::less:
      return left < right;
    case Relation::less_or_equal:
      return left <= right;
    case Relation::greater:
      return left > right;
    case Relation::greater_or_equal:
      return left >= right;
  }
  return false;
}

std::string_view kind_name(const Activity& activity) {
  constexpr std::array<std::string_view, 16> names{
      "call",   "read", "write",  "ticks", "trigger",        "set",       "clear", "wait", "",
      "kernel", "",     "branch", "mode",  "schedule point", "terminate", ""};
  static_assert(names.size() == std::variant_size_v<ActivityKinds>);
  if (const auto* copy = std::get_if<Copy>(&activity)) {
    switch (copy->kind) {
      case CopyKind::host_to_device:
        return "h2d";
      case CopyKind::device_to_host:
        return "d2h";
      case CopyKind::memset:
        return "memset";
    }
  }
  if (const auto* use = std::get_if<UseSemaphore>(&activity))
    return use->operation == UseSemaphore::Operation::release ? "release" : "request";
  if (const auto* section = std::get_if<Uninterruptible>(&activity))
    return section->begins ? "uninterruptible" : "interruptible";
  return names[activity.index()];
}

}  // namespace amalthea
