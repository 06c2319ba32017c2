// SPDX-License-Identifier: Apache-2.0
#include "reference/data.hpp"

#include <algorithm>
#include <set>

#include "reference/folding.hpp"

namespace reference {

namespace {

std::set<Index> accessed_by(const Model& model, Index task, bool write) {
  std::set<Index> out;
  if (model.tasks[task].dropped) return out;
  each_item(model, model.tasks[task].items, none, [&](const Item& item, Index) {
    if (item.kind == Item::Kind::label && item.write == write) out.insert(item.target);
  });
  return out;
}

/// S-data-1: those that one task writes and the next one reads; if the chain names some of them, only these.
std::vector<Index> labels_between(const Model& model, const Chain& chain, Index from, Index to) {
  std::vector<Index> all, named;
  const auto read = accessed_by(model, to, false);
  for (const auto label : accessed_by(model, from, true)) {
    if (read.count(label) == 0) continue;
    all.push_back(label);
    if (std::any_of(chain.links.begin(), chain.links.end(), [&](const Chain::Link& link) {
          return link.label == label && (link.task == from || link.task == to);
        }))
      named.push_back(label);
  }
  return named.empty() ? all : named;
}

}  // namespace

void Data::Value::join(const Value& other) {
  if (other.newest < 0) return;
  oldest = oldest < 0 ? other.oldest : std::min(oldest, other.oldest);
  newest = std::max(newest, other.newest);
}

Data::Value Data::new_read(Passage& passage, Time now, Time release) {
  passage.reads.push_back(now);
  passage.activations.push_back(release);
  const auto number = static_cast<std::int64_t>(passage.reads.size()) - 1;
  return {number, number};
}

void Data::write(Passage& passage, const Value& value, Time now) {
  passage.writes.push_back({now, value.oldest, value.newest});
}

Data::Data(const Model& model) : model_(model) {
  for (Index number = 0; number < model.chains.size(); ++number) {
    const auto& chain = model.chains[number];
    if (chain.tasks.empty()) continue;
    auto& passed = chains_.emplace_back();
    passed.implicit = {number, Passage::Communication::implicit, {}, {}, {}, true};
    passed.explicit_ = {number, Passage::Communication::explicit_, {}, {}, {}, true};
    if (!chain.links.front().write) passed.first_label = chain.links.front().label;
    if (chain.links.back().write) passed.last_label = chain.links.back().label;
    for (std::size_t k = 0; k < chain.tasks.size(); ++k) {
      auto& step = passed.steps.emplace_back();
      step.task = chain.tasks[k];
      if (k > 0) step.inputs = passed.steps[k - 1].outputs;
      if (k + 1 < chain.tasks.size()) step.outputs = labels_between(model, chain, step.task, chain.tasks[k + 1]);
      step.given.resize(std::max<std::size_t>(1, step.outputs.size()));
      step.published = step.given;
      step.written.assign(step.given.size(), 0);
    }
  }
}

void Data::start(Index task, Time now, Time release) {
  each_place(task, [&](Passed& passed, std::size_t k) {
    auto& step = passed.steps[k];
    std::fill(step.written.begin(), step.written.end(), 0);
    passed.release = k == 0 ? release : passed.release;
    if (k == 0) {
      step.read = new_read(passed.implicit, now, release);
      if (passed.first_label == none) step.held = new_read(passed.explicit_, now, release);
      return;
    }
    step.read = {};
    for (const auto& value : passed.steps[k - 1].published) step.read.join(value);
    if (step.inputs.empty()) step.held = passed.steps[k - 1].given[0];
  });
  device(task, false, now);
}

/// S-data-3: device tasks read when they start and write when they end.
void Data::device(Index task, bool write, Time now) {
  if (!model_.tasks[task].device) return;
  each_place(task, [&](Passed& passed, std::size_t k) {
    for (const auto label : write ? passed.steps[k].outputs : passed.steps[k].inputs) access(task, label, write, now);
    const auto outer = write ? passed.last_label : passed.first_label;
    if (outer != none && k == (write ? passed.steps.size() - 1 : 0)) access(task, outer, write, now);
  });
}

void Data::access(Index task, Index label, bool write, Time now) {
  each_place(task, [&](Passed& passed, std::size_t k) {
    auto& step = passed.steps[k];
    for (std::size_t i = 0; write && i < step.outputs.size(); ++i) {
      if (step.outputs[i] != label) continue;
      step.given[i] = step.held;
      step.written[i] = 1;
    }
    if (write && k + 1 == passed.steps.size() && label == passed.last_label) {
      Data::write(passed.explicit_, step.held, now);
      step.written[0] = 1;
    }
    if (!write && k == 0 && label == passed.first_label) step.held = new_read(passed.explicit_, now, passed.release);
    if (write || k == 0 || !contains(step.inputs, label)) return;
    // What the task works with is the last value of every label that it reads.
    step.held_of.resize(step.inputs.size());
    step.held = {};
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == label) step.held_of[i] = passed.steps[k - 1].given[i];
      step.held.join(step.held_of[i]);
    }
  });
}

void Data::end(Index task, Time now) {
  device(task, true, now);
  each_place(task, [&](Passed& passed, std::size_t k) {
    auto& step = passed.steps[k];
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      if (step.written[i] != 0) step.published[i] = step.read;
    if (!step.outputs.empty()) return;
    // S-data-2: without labels in the model a task always hands on; the last one writes at its end.
    const bool last = k + 1 == passed.steps.size(), writes = passed.last_label == none || step.written[0] != 0;
    if (!last || writes) step.published[0] = step.read;
    step.given[0] = step.held;
    if (last && writes) write(passed.implicit, step.read, now);
    if (last && passed.last_label == none) write(passed.explicit_, step.held, now);
  });
}

std::vector<Passage> Data::finish(const std::vector<Job>& jobs) {
  std::vector<Passage> out;
  for (auto& passed : chains_) {
    Passage timed{passed.implicit.chain, Passage::Communication::let, {}, {}, {}, true};
    let(passed, jobs, timed);
    for (auto* passage : {&passed.implicit, &passed.explicit_, &timed}) out.push_back(std::move(*passage));
  }
  return out;
}

namespace {

bool common(const std::vector<Index>& a, const std::vector<Index>& b) {
  return std::any_of(a.begin(), a.end(), [&](Index value) { return contains(b, value); });
}

/// Where the releases of a task come from: a stimulus (none: not a single one), and the tasks that trigger it.
struct Source {
  Index stimulus = none;
  std::vector<Index> triggers;
};

Source source_of(const Model& model, Index task) {
  Source source;
  for (auto at = task; model.tasks[at].stimuli.size() == 1 && source.triggers.size() < 20;) {
    const auto stimulus = model.tasks[at].stimuli[0];
    if (model.stimuli[stimulus].kind != Stimulus::Kind::triggered) {
      source.stimulus = stimulus;
      break;
    }
    const auto by = tasks_with(
        model, [&](const Item& item, Index) { return item.kind == Item::Kind::trigger && item.target == stimulus; });
    if (by.size() != 1) break;
    source.triggers.push_back(at = by[0]);
  }
  return source;
}

/// Whether a task waits for an event that only this device task sets, at one place.
bool awaits(const Model& model, Index waiting, Index device) {
  using K = Item::Kind;
  std::vector<Index> set;
  each_item(model, model.tasks[device].items, none, [&](const Item& item, Index) {
    if (item.kind == K::set) set.insert(set.end(), item.events.begin(), item.events.end());
  });
  int setting = 0, waits = 0, unsure = 0;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    each_item(model, model.tasks[task].items, none, [&](const Item& item, Index) {
      if (!common(item.events, set)) return;
      setting += item.kind == K::set ? 1 : 0;
      if (item.kind != K::wait || task != waiting) return;
      ++waits;
      unsure += item.events.size() > 1 && !item.all ? 1 : 0;
    });
  }
  return model.tasks[device].device && setting == 1 && waits > 0 && unsure == 0;
}

/// S-data-4: whether data passes from one task to the next within an interval.
bool within_interval(const Model& model, Index task, Index next) {
  return contains(source_of(model, next).triggers, task) ||
         (contains(source_of(model, task).triggers, next) && awaits(model, next, task));
}

}  // namespace

/// S-data-4: a job reads at its release and writes one period later; a read at one instant sees the write.
void Data::let(const Passed& passed, const std::vector<Job>& jobs, Passage& passage) const {
  struct Written {
    Time time;
    Value value;
  };
  std::vector<Written> before, after;
  for (std::size_t k = 0; k < passed.steps.size(); ++k) {
    const auto task = passed.steps[k].task;
    const auto stimulus = source_of(model_, task).stimulus;
    if (stimulus == none || model_.stimuli[stimulus].kind != Stimulus::Kind::periodic ||
        model_.stimuli[stimulus].jitter.most > 0 || !model_.stimuli[stimulus].condition.any_of.empty()) {
      passage.complete = false;
      return;
    }
    if (k > 0 && within_interval(model_, passed.steps[k - 1].task, task)) continue;
    const auto period = model_.stimuli[stimulus].period;
    Index released_by = none;  // the task that has the releases of the interval
    for (Index other = 0; other < model_.tasks.size() && released_by == none; ++other) {
      const auto& stimuli = model_.tasks[other].stimuli;
      if (stimuli.size() == 1 && stimuli[0] == stimulus) released_by = other;
    }
    after.clear();
    std::size_t seen = 0;
    Value last;
    for (const auto& job : jobs) {
      if (job.task != released_by) continue;
      while (seen < before.size() && before[seen].time <= job.release) last = before[seen++].value;
      const auto value = k == 0 ? new_read(passage, job.release, job.release) : last;
      after.push_back({job.release + period, value});
    }
    std::swap(before, after);
  }
  for (const auto& one : before) write(passage, one.value, one.time);
}

}  // namespace reference
