// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/detail/trace_sink.hpp"

#include <new>
#include <utility>

#include <zlib.h>

namespace amalthea::exporter {

/// gzip without a name or a time in its header, so that equal traces are equal files.
struct TraceSink::Compressor {
  Compressor() {
    constexpr int gzip = 16, window_bits = 15, memory_level = 8;
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_bits + gzip, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Compressor() { deflateEnd(&stream); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  z_stream stream{};
  char out[std::size_t{1} << 15U] = {};
};

TraceSink::TraceSink(NewFile file, bool compressed)
    : file_(std::move(file)),
      buffer_(new char[capacity_]),
      compressor_(compressed ? std::make_unique<Compressor>() : nullptr) {}

TraceSink::~TraceSink() = default;

void TraceSink::make_room(std::size_t most) {
  drain({});
  if (most <= capacity_) return;
  capacity_ = most;
  buffer_.reset(new char[capacity_]);
}

void TraceSink::drain(std::string_view more) {
  pass({buffer_.get(), used_}, false);
  used_ = 0;
  if (more.size() > capacity_) {
    pass(more, false);
  } else {
    put(more);
  }
}

void TraceSink::pass(std::string_view bytes, bool last) {
  if (!compressor_) {
    file_.write(bytes);
    return;
  }
  z_stream& stream = compressor_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads it only
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(compressor_->out);
    stream.avail_out = sizeof compressor_->out;
    deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    file_.write({compressor_->out, sizeof compressor_->out - stream.avail_out});
  } while (stream.avail_out == 0);
}

tl::expected<void, std::string> TraceSink::commit() {
  pass({buffer_.get(), used_}, true);
  used_ = 0;
  return file_.commit();
}

}  // namespace amalthea::exporter
