// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The part of the CUDA driver API that measure-gpu uses, loaded at run time: no toolkit is needed to build.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace measure_gpu {

/// Numbers of CUdevice_attribute.
enum class Attribute : int {
  threads_per_block = 1,
  shared_memory_per_block = 8,
  registers_per_block = 12,
  clock_kilohertz = 13,
  multiprocessors = 16,
  l2_bytes = 38,
  threads_per_multiprocessor = 39,
  copy_engines = 40,
  capability_major = 75,
  capability_minor = 76,
  shared_memory_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  preemption = 90,
  blocks_per_multiprocessor = 106,
};

using Address = unsigned long long;  ///< CUdeviceptr
using Context = struct ContextOfCuda*;
using Module = struct ModuleOfCuda*;
using Function = struct FunctionOfCuda*;
using Stream = struct StreamOfCuda*;

/// The library or a device is missing.
struct NoGpu : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every call throws std::runtime_error on failure.
class Driver {
 public:
  /// Throws NoGpu.
  Driver();
  std::string device_name() const;
  int attribute(Attribute which) const;

  Context make_context();
  Module load(const char* ptx);
  Function function(Module module, const char* name);
  Address allocate(std::size_t bytes);
  void* allocate_on_host(std::size_t bytes);
  Stream make_stream();
  void launch(Function function, unsigned blocks, unsigned threads, Stream stream, void** arguments);
  void copy_in(Address to, const void* from, std::size_t bytes, Stream stream);
  void copy_out(void* to, Address from, std::size_t bytes, Stream stream);
  void fill(Address to, std::size_t bytes, Stream stream);
  void wait();
  void wait(Stream stream);

 private:
  template <typename... Arguments>
  void call(const char* name, Arguments... arguments) const;

  void* library_ = nullptr;
  int device_ = 0;
};

}  // namespace measure_gpu
