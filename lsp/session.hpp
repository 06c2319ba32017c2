// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One conversation with an editor, without threads and streams: messages in, messages out.
///
/// Edits change the text at once. Models are read apart from that: `due` returns the texts to read, `ModelReader` reads
/// them, possibly in another thread, and `take` gets the result. Until then, and while a text is not well-formed, the
/// last readable state answers, with its places carried over to the edited text.
///
/// Commands and new names take long and are about the text as it is: they wait until it has been read. `next_job` then
/// returns their work, and `finish` takes what came of it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/work.hpp"
#include "lsp/commands.hpp"
#include "lsp/model_state.hpp"
#include "lsp/navigation.hpp"
#include "lsp/text.hpp"

namespace amalthea::lsp {

/// Errors of JSON-RPC and of the protocol.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803,
  request_cancelled = -32800,
};

class Session {
 public:
  using Json = nlohmann::json;
  using Send = std::function<void(const Json&)>;

  /// `is_shown` selects the findings that become diagnostics. A text of more than `max_text` bytes is not read.
  Session(std::uint64_t max_text, bool (*is_shown)(const Diagnostic&), Send send)
      : max_text_(max_text), is_shown_(is_shown), send_(std::move(send)) {}

  /// Handles one message, and answers it if it is a request. Never throws for what a message contains.
  void receive(std::string_view message);
  /// Answers something that is no message.
  void refuse(ErrorCode code, const std::string& why);

  enum class Urgency : std::uint8_t {
    none,   ///< nothing changed
    pause,  ///< read when the user pauses
    now,    ///< a document was opened, saved or closed, or files changed on disk
  };
  Urgency urgency() const { return urgency_; }
  /// How many edits have arrived. Only they prolong a pause.
  std::uint64_t edits() const { return edits_; }
  /// The texts to read; nothing is due afterwards.
  OpenTexts due();
  /// The models of the texts that `due` returned last.
  void take(std::vector<Reading> readings);

  /// Work that the editor waits for: a command, or a new name. It reads the texts of a ModelState again, because a Model
  /// belongs to one thread, so any thread may run it.
  struct Job {
    std::uint64_t ticket = 0;
    std::shared_ptr<Work> work;  ///< stops when the editor cancels the request
    std::function<CommandResult(const importer::Limits&, Work&)> execute;
    /// Its result; whatever it throws, such as for a lack of memory, is one.
    CommandResult run(const importer::Limits& limits) const;
  };
  std::optional<Job> next_job();
  /// Nothing happens if the editor has cancelled it.
  void finish(std::uint64_t ticket, CommandResult result);

  /// Nothing that waits for a reading will be answered: it failed.
  void give_up(const std::string& why);

  /// The delay that the editor has configured.
  std::optional<std::chrono::milliseconds> delay() const { return delay_; }
  /// Whether an analysis is awaited, and the editor can show its progress. It is worth showing after a second.
  bool awaits_analysis() const;
  /// Shows which part of it is done, from 0 to 1.
  void show_progress(double done);

  /// The process of the editor, as it said in `initialize`; 0 if it did not.
  std::uint64_t client_process() const { return client_process_; }
  /// The exit code of the process, once the editor has ended the conversation: 0 after `shutdown`, else 1.
  std::optional<int> ended() const { return ended_; }
  /// The same for an editor that is gone.
  int code_at_end() const { return state_ == State::shut_down ? 0 : 1; }

 private:
  struct OpenDocument {
    std::string uri;  ///< as the editor writes it
    std::string text;
    LineIndex lines;
    Json version;
    std::shared_ptr<const std::string> read;   ///< the text that was handed out last; null if it changed since
    Changes since_read;                        ///< from that text
    Changes since_good;                        ///< from the document in `good`
    std::shared_ptr<const ModelState> good;    ///< the last readable state; null before there is one
    std::shared_ptr<const Timing> timing;      ///< of `good`, or of the state before while `good` is analyzed
    std::shared_ptr<const ModelState> timed;   ///< what `timing` is about
    std::uint32_t index = 0;                   ///< in `good`
    std::shared_ptr<const std::string> taken;  ///< the text that the last readings are about
    bool pending = false;                      ///< its model will be analyzed
    std::string unreadable;                    ///< why a file of its model cannot be read; "" if all can
  };
  /// A place in an open document with a readable state.
  struct Cursor {
    OpenDocument& document;
    const Document& known;
    std::size_t offset = 0;      ///< in the text
    std::uint32_t in_known = 0;  ///< in the bytes of `known`
  };

  /// A request that is answered when something has been read.
  struct Waiting {
    Json id;
    std::function<bool()> ready;
    std::function<void(const Json& id)> serve;
  };
  struct Running {
    Json id;
    std::shared_ptr<Work> work;
    std::function<CommandResult(Json result)> finish;
    Json token;  ///< of the editor, for progress; may be null
  };
  /// The diagnostics of a file.
  struct Diagnosed {
    Json list;
    Json version;  ///< of the text in the editor; null for a file on disk
    bool is_open = false;
  };

  void handle(const Json& message);
  void reply(const Json& id, Json result);
  void fail(const Json& id, ErrorCode code, const std::string& why);
  /// False for a request that is answered at once.
  bool begin(const Json& id, const std::string& method, const Json& params);
  void wait(Waiting waiting);
  void serve_waiting();
  /// Whether every open document has been read, or will not be: a model may have several.
  bool has_been_read() const;
  /// The document, if its model can be read; else null, and the request has failed.
  OpenDocument* readable(const Json& id, const std::string& uri);
  void start(Running running, const char* title, Job job);
  void end_progress(const Running& running);
  void begin_command(const Json& id, const Json& params);
  void begin_rename(const Json& id, const Json& params);
  CommandResult workspace_edit(const ModelState& state, const Json& edits);
  Json prepare_rename(const Json& params);
  void cancel(const Json& id);
  void cancel_all();
  /// Whether the last readings are about the text as it is.
  bool is_read(const OpenDocument& document) const;
  Json answer(const std::string& method, const Json& params);
  void notify(const std::string& method, const Json& params);
  void tell(const std::string& method, Json params);
  /// `then` gets the result; nothing happens if the editor refuses.
  void ask(const std::string& method, Json params, std::function<void(const Json& result)> then = {});

  void take_answer(const Json& message);
  Json initialize(const Json& params);
  void learn(const Json& client);  ///< what it can do
  void initialized();
  void open(const Json& document);
  void change(const Json& params);
  void close(const Json& params);

  OpenDocument* find(const Json& params);
  std::optional<Cursor> cursor(const Json& params);
  Json hover(const Json& params);
  Json definition(const Json& params);
  Json references(const Json& params);
  Json symbols(const Json& params);
  Json completion(const Json& params);
  Json lenses(const Json& params);
  Json fixes(const Json& params);

  Json range(const OpenDocument& document, std::size_t begin, std::size_t end) const;
  Json range_now(const OpenDocument& document, Span span) const;                ///< of a span of its state
  std::size_t line_now(const OpenDocument& document, std::size_t known) const;  ///< of an offset in its state
  Json location(const ModelState& state, Place place) const;
  Json diagnostic(const Finding& finding, Json where, const ModelState* state) const;
  void add_symbols(const OpenDocument& document, const std::vector<Symbol>& symbols, const std::string& container,
                   Json& out) const;
  std::map<std::string, Diagnosed> diagnosed() const;  ///< by URI
  void publish();
  bool is_shown(const Finding& finding) const;
  Json pulled(const std::string& uri, Json list, const Json& earlier);
  void begin_pull(const Json& id, const Json& params);
  void begin_workspace_pull(const Json& id, const Json& params);
  Json highlights(const Json& params);
  Json workspace_symbols(const Json& params) const;
  Json foldings(const Json& params);
  Json hints(const Json& params);
  void configure(const Json& settings);
  void ask_for_settings();

  std::uint64_t max_text_;
  bool (*is_shown_)(const Diagnostic&);
  Send send_;
  enum class State : std::uint8_t { created, running, shut_down } state_ = State::created;
  std::optional<int> ended_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  bool nested_symbols_ = false, markdown_ = false, refreshes_lenses_ = false, watches_files_ = false;
  bool prepares_renames_ = false, pulls_ = false, refreshes_diagnostics_ = false, refreshes_hints_ = false,
       shows_progress_ = false;
  bool asks_settings_ = false, watches_settings_ = false;
  std::size_t most_foldings_ = 10'000;
  bool lens_commands_ = false, versioned_edits_ = false, describes_codes_ = false, keeps_data_ = false,
       relates_places_ = false;
  std::uint64_t client_process_ = 0;
  int asked_ = 0;
  std::map<std::string, std::function<void(const Json& result)>> answers_;  ///< expected, by id
  std::vector<Reading> readings_;                                           ///< the last ones
  std::optional<std::chrono::milliseconds> delay_;
  std::set<std::string> suppressed_;
  bool only_errors_ = false;
  bool in_work_ = false;                           ///< the texts that `due` returned
  Json analysis_token_;                            ///< of the progress that is shown; null: none
  std::map<std::string, OpenDocument> documents_;  ///< by path
  std::map<std::string, std::string> published_;   ///< diagnostics by URI that the editor has
  Urgency urgency_ = Urgency::none;
  std::uint64_t edits_ = 0;
  std::vector<Waiting> waiting_;              ///< in their order
  std::deque<Job> jobs_;                      ///< not begun
  std::map<std::uint64_t, Running> running_;  ///< and those in `jobs_`, by ticket
  std::uint64_t tickets_ = 0;
};

}  // namespace amalthea::lsp
