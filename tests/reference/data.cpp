// SPDX-License-Identifier: Apache-2.0
#include "reference/data.hpp"

#include <algorithm>

#include "reference/folding.hpp"

namespace reference {

namespace {

/// By label: whether the task reads it, or writes it.
std::vector<char> accessed_by(const Model& model, Index task, bool write) {
  std::vector<char> out(model.labels.size(), 0);
  if (model.tasks[task].dropped) return out;
  each_item(model, model.tasks[task].items, none, [&](const Item& item, Index) {
    if (item.kind == Item::Kind::label && item.write == write && item.target != none) out[item.target] = 1;
  });
  return out;
}

}  // namespace

void Data::Value::join(const Value& other) {
  if (other.newest < 0) return;
  oldest = oldest < 0 ? other.oldest : std::min(oldest, other.oldest);
  newest = std::max(newest, other.newest);
}

Data::Data(const Model& model) : model_(model) {
  for (Index number = 0; number < model.chains.size(); ++number) {
    const auto& chain = model.chains[number];
    if (chain.tasks.empty()) continue;
    auto& passed = chains_.emplace_back();
    passed.implicit = {number, Passage::Communication::implicit, {}, {}, {}, true};
    passed.explicit_ = {number, Passage::Communication::explicit_, {}, {}, {}, true};
    for (const auto task : chain.tasks) passed.steps.emplace_back().task = task;
    if (!chain.links.front().write) passed.first_label = chain.links.front().label;
    if (chain.links.back().write) passed.last_label = chain.links.back().label;
    for (std::size_t k = 0; k + 1 < passed.steps.size(); ++k) {  // S-data-1: the labels between two neighbours
      auto& from = passed.steps[k];
      auto& to = passed.steps[k + 1];
      std::vector<Index> named;
      for (const auto& link : chain.links) {
        if (link.label != none && (link.task == from.task || link.task == to.task)) named.push_back(link.label);
      }
      const auto written = accessed_by(model, from.task, true), read = accessed_by(model, to.task, false);
      for (Index label = 0; label < model.labels.size(); ++label) {
        if (written[label] != 0 && read[label] != 0) from.outputs.push_back(label);
      }
      const auto is_named = [&](Index label) { return std::find(named.begin(), named.end(), label) != named.end(); };
      if (std::any_of(from.outputs.begin(), from.outputs.end(), is_named))
        from.outputs.erase(
            std::remove_if(from.outputs.begin(), from.outputs.end(), [&](Index label) { return !is_named(label); }),
            from.outputs.end());
      to.inputs = from.outputs;
    }
    for (auto& step : passed.steps) {
      step.given.resize(std::max<std::size_t>(1, step.outputs.size()));
      step.published = step.given;
      step.written.assign(step.given.size(), 0);
    }
  }
}

void Data::start(Index task, Time now, Time release) {
  for (auto& passed : chains_) {
    for (std::size_t k = 0; k < passed.steps.size(); ++k) {
      auto& step = passed.steps[k];
      if (step.task != task) continue;
      std::fill(step.written.begin(), step.written.end(), 0);
      if (k == 0) {
        passed.implicit.reads.push_back(now);
        passed.implicit.activations.push_back(release);
        const auto number = static_cast<std::int64_t>(passed.implicit.reads.size()) - 1;
        step.read = {number, number};
        if (passed.first_label == none) {
          passed.explicit_.reads.push_back(now);
          passed.explicit_.activations.push_back(release);
          step.held = {static_cast<std::int64_t>(passed.explicit_.reads.size()) - 1,
                       static_cast<std::int64_t>(passed.explicit_.reads.size()) - 1};
        } else {
          passed.release = release;
        }
      } else {
        step.read = {};
        for (const auto& value : passed.steps[k - 1].published) step.read.join(value);
        if (step.inputs.empty()) step.held = passed.steps[k - 1].given[0];
      }
    }
  }
  device(task, false, now);
}

/// S-data-3: device tasks read when they start and write when they end.
void Data::device(Index task, bool write, Time now) {
  if (!model_.tasks[task].device) return;
  for (const auto& passed : chains_) {
    for (const auto& step : passed.steps) {
      if (step.task != task) continue;
      const auto labels = write ? step.outputs : step.inputs;
      for (const auto label : labels) access(task, label, write, now);
      const auto outer = write ? passed.last_label : passed.first_label;
      if (outer != none && (&step == &passed.steps[write ? passed.steps.size() - 1 : 0]))
        access(task, outer, write, now);
    }
  }
}

void Data::access(Index task, Index label, bool write, Time now) {
  for (auto& passed : chains_) {
    for (std::size_t k = 0; k < passed.steps.size(); ++k) {
      auto& step = passed.steps[k];
      if (step.task != task) continue;
      if (write) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
          if (step.outputs[i] != label) continue;
          step.given[i] = step.held;
          step.written[i] = 1;
        }
        if (k + 1 == passed.steps.size() && label == passed.last_label) {
          passed.explicit_.writes.push_back({now, step.held.oldest, step.held.newest});
          step.written[0] = 1;
        }
      } else if (k == 0) {
        if (label != passed.first_label) continue;
        passed.explicit_.reads.push_back(now);
        passed.explicit_.activations.push_back(passed.release);
        step.held = {static_cast<std::int64_t>(passed.explicit_.reads.size()) - 1,
                     static_cast<std::int64_t>(passed.explicit_.reads.size()) - 1};
      } else {
        bool any = false;
        for (const auto input : step.inputs) any = any || input == label;
        if (!any) continue;
        // What the task works with is the last value of every label that it reads.
        step.held_of.resize(step.inputs.size());
        Value all;
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
          if (step.inputs[i] == label) step.held_of[i] = passed.steps[k - 1].given[i];
          all.join(step.held_of[i]);
        }
        step.held = all;
      }
    }
  }
}

void Data::end(Index task, Time now) {
  device(task, true, now);
  for (auto& passed : chains_) {
    for (std::size_t k = 0; k < passed.steps.size(); ++k) {
      auto& step = passed.steps[k];
      if (step.task != task) continue;
      const bool last = k + 1 == passed.steps.size();
      if (step.outputs.empty()) {
        // S-data-2: without labels in the model a task always hands on; the last one writes at its end.
        if (!last || passed.last_label == none || step.written[0] != 0) step.published[0] = step.read;
        step.given[0] = step.held;
        if (last && (passed.last_label == none || step.written[0] != 0))
          passed.implicit.writes.push_back({now, step.read.oldest, step.read.newest});
        if (last && passed.last_label == none)
          passed.explicit_.writes.push_back({now, step.held.oldest, step.held.newest});
      }
      for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.written[i] != 0) step.published[i] = step.read;
      }
    }
  }
}

std::vector<Passage> Data::finish(const std::vector<Job>& jobs) {
  std::vector<Passage> out;
  for (auto& passed : chains_) {
    Passage timed{passed.implicit.chain, Passage::Communication::let, {}, {}, {}, true};
    let(passed, jobs, timed);
    out.push_back(std::move(passed.implicit));
    out.push_back(std::move(passed.explicit_));
    out.push_back(std::move(timed));
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
    std::vector<Index> by;
    for (Index other = 0; other < model.tasks.size(); ++other) {
      if (model.tasks[other].dropped) continue;
      each_item(model, model.tasks[other].items, none, [&](const Item& item, Index) {
        if (item.kind == Item::Kind::trigger && item.target == stimulus && !contains(by, other)) by.push_back(other);
      });
    }
    if (by.size() != 1) break;
    source.triggers.push_back(at = by[0]);
  }
  return source;
}

/// Whether a task waits for an event that only this device task sets, at one place.
bool awaits(const Model& model, Index waiting, Index device) {
  if (!model.tasks[device].device) return false;
  std::vector<Index> set;
  each_item(model, model.tasks[device].items, none, [&](const Item& item, Index) {
    if (item.kind == Item::Kind::set) set.insert(set.end(), item.events.begin(), item.events.end());
  });
  int places = 0;
  for (const auto& task : model.tasks) {
    each_item(model, task.items, none, [&](const Item& item, Index) {
      places += item.kind == Item::Kind::set && common(item.events, set) ? 1 : 0;
    });
  }
  bool found = false, any = false;
  each_item(model, model.tasks[waiting].items, none, [&](const Item& item, Index) {
    if (item.kind != Item::Kind::wait || !common(item.events, set)) return;
    found = true;
    any = any || (item.events.size() > 1 && !item.all);
  });
  return places == 1 && found && !any;
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
      Value value = last;
      if (k == 0) {
        passage.reads.push_back(job.release);
        passage.activations.push_back(job.release);
        value = {static_cast<std::int64_t>(passage.reads.size()) - 1,
                 static_cast<std::int64_t>(passage.reads.size()) - 1};
      }
      after.push_back({job.release + period, value});
    }
    std::swap(before, after);
  }
  for (const auto& one : before) passage.writes.push_back({one.time, one.value.oldest, one.value.newest});
}

}  // namespace reference
