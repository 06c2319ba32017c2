// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/babeltrace.hpp"

#ifdef AMALTHEA_BABELTRACE
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <fmt/core.h>
#endif

namespace amalthea::traces {

#ifndef AMALTHEA_BABELTRACE

std::string read_scheduler_events(const std::vector<std::string>&, std::uint64_t,
                                  const std::function<bool(const SchedulerEvent&)>&) {
  return "this build of amalthea reads no CTF; build it where libbabeltrace2-dev is installed";
}

#else

namespace {

using Kind = SchedulerEvent::Kind;

// ---------------------------------------------------------------- the process that reads

/// Within `structure`, which may be null.
const bt_field* member(const bt_field* structure, const char* name) {
  if (structure == nullptr || bt_field_get_class_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE) return nullptr;
  return bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

std::optional<std::int64_t> number(const bt_field* field) {
  if (field == nullptr) return std::nullopt;
  const bt_field_class_type type = bt_field_get_class_type(field);
  if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
    return static_cast<std::int64_t>(bt_field_integer_unsigned_get_value(field));
  if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) return bt_field_integer_signed_get_value(field);
  return std::nullopt;
}

class Child {
 public:
  explicit Child(std::FILE* pipe) : pipe_(pipe) {}

  /// "" or why the trace ends.
  std::string read(const std::vector<std::string>& folders) {
    const bt_plugin *ctf = nullptr, *utils = nullptr;
    if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf) != BT_PLUGIN_FIND_STATUS_OK ||
        bt_plugin_find("utils", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &utils) != BT_PLUGIN_FIND_STATUS_OK)
      return "the plugins of babeltrace2 are not there; install libbabeltrace2-0";
    bt_graph* graph = bt_graph_create(0);
    const bt_component_filter* muxer = nullptr;
    const bt_component_sink* sink = nullptr;
    const auto* merge = bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
    if (graph == nullptr || merge == nullptr ||
        bt_graph_add_filter_component(graph, merge, "muxer", nullptr, BT_LOGGING_LEVEL_NONE, &muxer) != 0 ||
        bt_graph_add_simple_sink_component(graph, "sink", &Child::begin, &Child::consume, nullptr, this, &sink) != 0)
      return cause();
    std::uint64_t input = 0;
    for (const std::string& folder : folders)
      if (!add(graph, ctf, folder, muxer, input)) return cause();
    if (bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
                               bt_component_sink_borrow_input_port_by_index_const(sink, 0), nullptr) != 0 ||
        bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK)
      return cause();
    return {};
  }

  void end() {
    event_ = {};
    event_.kind = Kind::end;
    event_.row = row_;
    give();
  }

 private:
  static bool add(bt_graph* graph, const bt_plugin* ctf, const std::string& folder, const bt_component_filter* muxer,
                  std::uint64_t& input) {
    const auto* files = bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
    bt_value *parameters = bt_value_map_create(), *inputs = nullptr;
    const bt_component_source* source = nullptr;
    if (files == nullptr || parameters == nullptr ||
        bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) != 0 ||
        bt_value_array_append_string_element(inputs, folder.c_str()) != 0 ||
        bt_graph_add_source_component(graph, files, folder.c_str(), parameters, BT_LOGGING_LEVEL_NONE, &source) != 0)
      return false;
    for (std::uint64_t port = 0; port < bt_component_source_get_output_port_count(source); ++port)
      if (bt_graph_connect_ports(graph, bt_component_source_borrow_output_port_by_index_const(source, port),
                                 bt_component_filter_borrow_input_port_by_index_const(muxer, input++), nullptr) != 0)
        return false;
    return true;
  }

  /// What babeltrace2 says first: the innermost reason.
  static std::string cause() {
    const bt_error* error = bt_current_thread_take_error();
    std::string text = "babeltrace2 gives no reason";
    if (error != nullptr && bt_error_get_cause_count(error) > 0)
      text = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
    // Addresses differ from run to run.
    if (const std::size_t address = text.find("-addr="); address != std::string::npos)
      text.resize(std::min(text.size(), text.rfind(": ", address)));
    return text.substr(0, 500);
  }

  static bt_graph_simple_sink_component_initialize_func_status begin(bt_message_iterator* messages, void* self) {
    static_cast<Child*>(self)->messages_ = messages;
    bt_message_iterator_get_ref(messages);
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
  }

  static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator* messages, void* self) {
    bt_message_array_const batch = nullptr;
    std::uint64_t count = 0;
    const auto status = bt_message_iterator_next(messages, &batch, &count);
    if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
      return static_cast<bt_graph_simple_sink_component_consume_func_status>(status);
    for (std::uint64_t index = 0; index < count; ++index) {
      static_cast<Child*>(self)->message(batch[index]);
      bt_message_put_ref(batch[index]);
    }
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
  }

  void message(const bt_message* message) {
    const bt_message_type type = bt_message_get_type(message);
    if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS || type == BT_MESSAGE_TYPE_DISCARDED_PACKETS) discarded(message, type);
    if (type != BT_MESSAGE_TYPE_EVENT) return;
    const bt_event* event = bt_message_event_borrow_event_const(message);
    ++row_;
    event_ = {};
    event_.row = row_;
    if (read(event) && time(message, event)) return give();
    if (row_ % 65536 == 0) {
      event_ = {};
      event_.row = row_;
      give();
    }
  }

  void discarded(const bt_message* message, bt_message_type type) {
    event_ = {};
    event_.kind = Kind::discarded;
    event_.row = row_;
    const bt_clock_snapshot* end = nullptr;
    if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS) {
      static_cast<void>(bt_message_discarded_events_get_count(message, &event_.count));
      const auto* of = bt_stream_borrow_class_const(bt_message_discarded_events_borrow_stream_const(message));
      if (bt_stream_class_discarded_events_have_default_clock_snapshots(of) != 0)
        end = bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message);
    } else {
      const auto* of = bt_stream_borrow_class_const(bt_message_discarded_packets_borrow_stream_const(message));
      if (bt_stream_class_discarded_packets_have_default_clock_snapshots(of) != 0)
        end = bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message);
    }
    if (end != nullptr) static_cast<void>(bt_clock_snapshot_get_ns_from_origin(end, &event_.time));
    give();
  }

  /// Whether the event says something. `perf` writes the names of systems, too.
  bool read(const bt_event* event) {
    const char* text = bt_event_class_get_name(bt_event_borrow_class_const(event));
    if (text == nullptr) return false;
    std::string_view name = text;
    if (name.starts_with("sched:")) name.remove_prefix(6);
    const bt_field* fields = bt_event_borrow_payload_field_const(event);
    if (name == "sched_switch") {
      const auto state = number(member(fields, "prev_state"));
      if (!state || !thread(fields, "prev_", event_.thread) || !thread(fields, "next_", event_.next)) return false;
      event_.kind = Kind::switches;
      event_.state = *state;
      event_.cpu = cpu_of(event);
      return true;
    }
    if (name != "sched_wakeup" && name != "sched_waking") return false;
    event_.kind = Kind::wakes;
    return thread(fields, "", event_.thread);
  }

  static bool thread(const bt_field* fields, const std::string& prefix, ThreadName& thread) {
    auto id = number(member(fields, (prefix + "tid").c_str()));
    if (!id) id = number(member(fields, (prefix + "pid").c_str()));
    const bt_field* name = member(fields, (prefix + "comm").c_str());
    if (!id || name == nullptr || bt_field_get_class_type(name) != BT_FIELD_CLASS_TYPE_STRING) return false;
    thread.id = *id;
    std::strncpy(thread.name.data(), bt_field_string_get_value(name), thread.name.size() - 1);
    return true;
  }

  static std::int64_t cpu_of(const bt_event* event) {
    const bt_stream* stream = bt_event_borrow_stream_const(event);
    const bt_stream_class* of = bt_stream_borrow_class_const(stream);
    const bt_field* packet = bt_stream_class_supports_packets(of) != 0
                                 ? bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event))
                                 : nullptr;
    for (const bt_field* fields :
         {packet, bt_event_borrow_common_context_field_const(event),
          bt_event_borrow_specific_context_field_const(event), bt_event_borrow_payload_field_const(event)})
      for (const char* name : {"cpu_id", "cpu"})
        if (const auto cpu = number(member(fields, name)); cpu && *cpu >= 0) return *cpu;
    return -1;
  }

  /// False for a stream without a clock.
  bool time(const bt_message* message, const bt_event* event) {
    const bt_stream_class* of = bt_stream_borrow_class_const(bt_event_borrow_stream_const(event));
    if (bt_stream_class_borrow_default_clock_class_const(of) == nullptr) return false;
    const bt_clock_snapshot* snapshot = bt_message_event_borrow_default_clock_snapshot_const(message);
    return bt_clock_snapshot_get_ns_from_origin(snapshot, &event_.time) ==
           BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK;
  }

  void give() {
    if (std::fwrite(&event_, sizeof event_, 1, pipe_) != 1) ::_exit(0);  // nobody listens
  }

  std::FILE* pipe_;
  bt_message_iterator* messages_ = nullptr;
  SchedulerEvent event_;
  std::uint64_t row_ = 0;
};

constexpr rlim_t most_memory = rlim_t{1} << 30U;  ///< beyond that of this process

/// Where the command is not installed by packages, they lie beside its libraries.
void use_own_plugins() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "../lib/babeltrace2";
  if (std::filesystem::is_directory(folder, error)) ::setenv("BABELTRACE_PLUGIN_PATH", folder.c_str(), 0);
}

/// Never returns: open files and exit handlers belong to the parent.
[[noreturn]] void be_child(const std::vector<std::string>& folders, std::uint64_t bytes, int pipe, pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, standard);
  rlim_t pages = 0;
  if (std::FILE* own = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(own, "%lu", &pages) != 1) pages = 0;
    std::fclose(own);
  }
  const rlimit memory{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + most_memory, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit time{5 + bytes / (rlim_t{4} << 20U), RLIM_INFINITY};
  ::setrlimit(RLIMIT_CPU, &time);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::FILE* output = ::fdopen(pipe, "wb");
  if (output == nullptr) ::_exit(1);
  use_own_plugins();
  Child child(output);
  const std::string error = child.read(folders);
  child.end();
  std::fwrite(error.data(), 1, error.size(), output);
  std::fflush(output);
  ::_exit(0);
}

// ---------------------------------------------------------------- the process that asks

std::string ending(int status) {
  if (!WIFSIGNALED(status)) return "babeltrace2 ended early";
  if (WTERMSIG(status) == SIGXCPU) return "reading it takes more time than fits its size";
  return fmt::format("babeltrace2 ended by signal {}: the trace is damaged, or takes more than {} MiB",
                     WTERMSIG(status), most_memory >> 20U);
}

}  // namespace

std::string read_scheduler_events(const std::vector<std::string>& folders, std::uint64_t bytes,
                                  const std::function<bool(const SchedulerEvent&)>& give) {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  std::fflush(nullptr);
  const pid_t parent = ::getpid(), process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    be_child(folders, bytes, ends[1], parent);
  }
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    return std::strerror(errno);
  }
  bool whole = false, wanted = true;
  std::string error;
  if (std::FILE* input = ::fdopen(ends[0], "rb")) {
    SchedulerEvent event;
    while (wanted && !whole && std::fread(&event, sizeof event, 1, input) == 1) {
      whole = event.kind == Kind::end;
      wanted = give(event);
    }
    std::array<char, 1024> text{};
    if (whole) error.assign(text.data(), std::fread(text.data(), 1, text.size(), input));
    std::fclose(input);
  }
  if (!wanted) ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return whole || !wanted ? error : ending(status);
}

#endif

}  // namespace amalthea::traces
