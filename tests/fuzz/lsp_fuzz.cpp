// SPDX-License-Identifier: Apache-2.0
// What an editor may send, one message per line, after an open document: every message is handled without an exception,
// every answer is valid JSON, and no request is answered twice.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/model_analysis.hpp"
#include "lsp/model_state.hpp"
#include "lsp/session.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace amalthea;

constexpr const char* opening[] = {
    R"({"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{"textDocument":{"publishDiagnostics":{"relatedInformation":true,"codeDescriptionSupport":true,"dataSupport":true}},"workspace":{"configuration":true},"window":{"workDoneProgress":true}}}})",
    R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///nowhere/m.amxmi","languageId":"xml","version":1,"text":"<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\" xmlns:xmi=\"http://www.omg.org/XMI\" xmi:version=\"2.0\">\n<swModel>\n<tasks name=\"T\" stimuli=\"S?type=PeriodicStimulus\">\n</tasks>\n<runnables name=\"R\"/>\n</swModel>\n<stimuliModel>\n<stimuli xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"am:PeriodicStimulus\" name=\"S\">\n<recurrence value=\"10\" unit=\"ms\"/>\n</stimuli>\n</stimuliModel>\n</am:Amalthea>\n"}}})",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t requests = 0, answers = 0;
  lsp::Session session(
      1U << 20U, [](const Diagnostic&) { return true; },
      [&](const nlohmann::json& message) {
        fuzz::require(!message.dump().empty());  // throws on text that is not UTF-8
        answers += !message.contains("method");
      });
  analysis::Options options;
  options.limits = fuzz::small_limits();
  options.engine.until = Duration::milliseconds(20);
  options.engine.max_steps = 2000;
  lsp::ModelReader reader(options);
  const auto receive = [&](std::string_view message) {
    ++requests;
    session.receive(message);
    fuzz::require(answers <= requests);
    if (session.urgency() != lsp::Session::Urgency::none) {
      Work work;
      reader.read(session.due(), work, [&](auto readings) { session.take(std::move(readings)); });
    }
    while (const auto job = session.next_job()) {
      // Commands analyze with the default options, which have no limits for a fuzzer; renames are whole.
      job->work->stop = message.find("executeCommand") != std::string_view::npos;
      session.finish(job->ticket, job->run(options.limits));
    }
  };
  for (const char* message : opening) receive(message);
  fuzz::require(answers == 1);
  std::string_view text = fuzz::text_of(data, size);
  while (!text.empty() && !session.ended()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    receive(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}
