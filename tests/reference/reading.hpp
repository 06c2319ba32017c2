// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Reads AMALTHEA 3.3.0. Every element and attribute is either used, listed as without meaning for time, or Refused.

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/reading_values.hpp"

namespace reference {

class Reader {
 public:
  explicit Reader(const ReadOptions& options) : options_(options) {}
  Model read(std::string_view amxmi);

 private:
  using Parameters = std::map<std::string, std::string>;

  // reader.cpp: names and references
  void enter(const Node&, const std::string& type, std::size_t index, const std::string& prefix = "");
  template <class T>
  void enter_all(const Node& parent, const char* list, const char* type, std::vector<T>& into);
  void modules(const Node& parent, const std::string& path);
  void names(const Node& root);
  Index token(const Node&, const std::string& token) const;
  Index refer(const Node&, const char* name, bool required = false) const;
  std::vector<Index> refer_all(const Node&, const char* name) const;
  static bool refers_to(const Node&, const char* name, const char* type);
  static Properties properties(const Node&, std::string_view keys);
  static std::string value_of(const Node&);

  // reading_platform.cpp: hardware, operating systems and the mapping to them
  std::int64_t hertz(const Node& module) const;
  void hardware();
  void accesses(const Node&, Unit&) const;
  Overhead overhead_of(const Node&) const;
  void parameters(const Node&, Parameters& into) const;
  void operating_systems(const Node& os);
  void scheduler(const Node&, Scheduler&) const;
  void algorithms();
  void mapping(const Node& map);
  void allocation(const Node&, bool isr);

  // reading_software.cpp: what tasks do, and when
  Ticks ticks_of(const Node&) const;
  std::int64_t mode_value(const Node&, Index label, const std::string& text) const;
  Condition condition_of(const Node&) const;
  Condition::Term term_of(const Node&) const;
  std::vector<Item> items_of(const Node& parent) const;
  Item item_of(const Node&) const;
  void access_of(const Node&, Item&) const;
  void mode_labels(const Node& sw);
  void software(const Node& sw);
  void stimuli(const Node& parent);
  void stimulus(const Node&, Stimulus&) const;
  static void recurrence(const Node&, Stimulus&);

  // reading_constraints.cpp: events, chains, constraints and requirements
  void events(const Node& parent);
  void chain_events(const Node&, std::vector<Index>& into) const;
  void constraints(const Node& parent);
  Constraint& add(const Node&, Constraint::Kind);
  void timing_constraint(const Node&);
  void data_age(const Node&);
  void group(const Node&, Constraint::Kind);
  void requirement(const Node&);

  const ReadOptions& options_;
  Model model_;
  std::map<std::string, Index> ids_;
  std::vector<Node> unit_nodes_, memory_nodes_, definition_nodes_, domain_nodes_, mode_nodes_;
  std::vector<std::string> process_chains_, definitions_, parameters_, overheads_, clocks_, algorithm_names_;
  std::vector<std::vector<Index>> chain_processes_;
  std::size_t first_isr_ = 0;
};

}  // namespace reference
