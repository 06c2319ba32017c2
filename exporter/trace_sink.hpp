#pragma once
/// \file
/// Where the text of a trace goes: through a buffer into a new file, compressed or not.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "exporter/new_file.hpp"

namespace amalthea::exporter {

/// Failures are kept and come out of `commit`; what is put after one goes nowhere.
class TraceSink {
 public:
  TraceSink(NewFile file, bool compressed);
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  ~TraceSink();

  void put(std::string_view text) {
    if (text.size() > capacity - used_) {
      drain(text);
      return;
    }
    std::memcpy(buffer_.get() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void put(char character) { put(std::string_view(&character, 1)); }
  void put_number(std::uint64_t number) {
    if (number < 10) {
      put(static_cast<char>('0' + number));
      return;
    }
    const fmt::format_int text(number);
    put(std::string_view(text.data(), text.size()));
  }

  tl::expected<void, std::string> commit();

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 16U;

  void drain(std::string_view more);
  void pass(std::string_view bytes, bool last);

  struct Compressor;

  NewFile file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::unique_ptr<Compressor> compressor_;  ///< null: as it is
};

}  // namespace amalthea::exporter
