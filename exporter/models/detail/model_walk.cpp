// SPDX-License-Identifier: Apache-2.0
#include "exporter/models/detail/model_walk.hpp"

#include <variant>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {
namespace {

struct UseOf {
  std::vector<Use>& uses;

  void add(Relation relation, Element what) const {
    if (what) uses.push_back({relation, what});
  }
  void operator()(const views::RunnableCall& call) const { add(Relation::calls, call.runnable); }
  void operator()(const views::SynchronousServerCall& call) const { add(Relation::calls, call.runnable); }
  void operator()(const views::AsynchronousServerCall& call) const {
    add(Relation::calls, call.runnable);
    add(Relation::calls, call.result_runnable);
  }
  void operator()(const views::LabelAccess& access) const {
    if (access.access == views::Access::unstated) return;
    add(access.access == views::Access::read ? Relation::reads : Relation::writes, access.label);
  }
  void operator()(const views::ModeLabelAccess& access) const {
    if (access.access == views::ModeAccess::unstated) return;
    add(access.access == views::ModeAccess::read ? Relation::reads : Relation::writes, access.label);
  }
  void operator()(const views::ChannelSend& send) const { add(Relation::writes, send.channel); }
  void operator()(const views::ChannelReceive& receive) const { add(Relation::reads, receive.channel); }
  void operator()(const views::SenderReceiverRead& read) const { add(Relation::reads, read.label); }
  void operator()(const views::SenderReceiverWrite& write) const { add(Relation::writes, write.label); }
  void operator()(const views::InterProcessTrigger& trigger) const { add(Relation::triggers, trigger.stimulus); }
  template <typename Other>
  void operator()(const Other&) const {}
};

}  // namespace

void for_each_item(const Model& model, Element container, Diagnostics& diagnostics,
                   const std::function<void(const views::ActivityItem&)>& visit) {
  for (const views::ActivityItem& item : views::activity_items(model, container, diagnostics)) {
    visit(item);
    for (const Element inner : views::containers_of(item)) for_each_item(model, inner, diagnostics, visit);
  }
}

std::vector<Use> uses_of(const Model& model, Element executable, Diagnostics& diagnostics) {
  std::vector<Use> uses;
  for_each_item(model, executable, diagnostics,
                [&](const views::ActivityItem& item) { std::visit(UseOf{uses}, item.kind); });
  return uses;
}

}  // namespace amalthea::exporter
