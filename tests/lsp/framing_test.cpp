// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lsp/framing.hpp"

namespace framing_test {

using amalthea::lsp::framed;
using amalthea::lsp::MessageStream;

namespace {

/// The messages in these bytes, "(header)" and "(size)" for what was skipped.
std::vector<std::string> messages_in(const std::string& bytes, std::size_t piece, std::size_t limit = 1000) {
  MessageStream stream(limit);
  std::vector<std::string> found;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    stream.add(bytes.substr(at, piece));
    while (true) {
      const auto message = stream.next();
      if (message)
        found.push_back(*message);
      else if (message.error() == MessageStream::Gap::incomplete)
        break;
      else
        found.emplace_back(message.error() == MessageStream::Gap::bad_header ? "(header)" : "(size)");
    }
  }
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("messages arrive in pieces of any size") {
  const std::string bytes = framed("{\"a\":1}") + framed("") + framed("{\"b\":\"\xC3\xA4\"}") +
                            "content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    INFO(piece);
    CHECK(messages_in(bytes, piece) == Texts{"{\"a\":1}", "", "{\"b\":\"\xC3\xA4\"}", "{}"});
  }
}

TEST_CASE("after a damaged header the stream continues with the next length") {
  for (const std::size_t piece : {1U, 7U, 100'000U}) {
    INFO(piece);
    CHECK(messages_in("Content-Length: x\r\n\r\n" + framed("{}"), piece) == Texts{"(header)", "{}"});
    CHECK(messages_in("Content-Length: -5\r\n\r\n" + framed("{}"), piece) == Texts{"(header)", "{}"});
    CHECK(messages_in("Content-Type: x\r\n\r\n" + framed("{}"), piece) == Texts{"(header)", "{}"});
    CHECK(messages_in("{\"no\":\"header\"}" + framed("{}"), piece) == Texts{"{}"});
    CHECK(messages_in("{\"no\":\"header\"}\r\n{}" + framed("{}"), piece).back() == "{}");
    CHECK(messages_in("Content-Length: 99999999999999999999999999\r\n\r\n" + framed("{}"), piece) ==
          Texts{"(header)", "{}"});
    CHECK(messages_in(std::string(50'000, 'x') + framed("{}"), piece) == Texts{"{}"});
  }
}

TEST_CASE("a message above the limit is skipped and the next one arrives") {
  for (const std::size_t piece : {1U, 10U, 100'000U}) {
    INFO(piece);
    CHECK(messages_in(framed(std::string(5000, '{')) + framed("{}"), piece) == Texts{"(size)", "{}"});
    CHECK(messages_in(framed(std::string(11, '{')) + framed("{}"), piece, 10) == Texts{"(size)", "{}"});
    CHECK(messages_in(framed(std::string(10, '{')) + framed("{}"), piece, 10).size() == 2);
  }
}

}  // namespace framing_test
