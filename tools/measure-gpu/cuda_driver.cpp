// SPDX-License-Identifier: Apache-2.0
#include "cuda_driver.hpp"

#include <dlfcn.h>

#include <array>

namespace measure_gpu {

template <typename... Arguments>
void Driver::call(const char* name, Arguments... arguments) const {
  using Entry = int (*)(Arguments...);
  const auto entry = reinterpret_cast<Entry>(dlsym(library_, name));
  if (entry == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
  const int result = entry(arguments...);
  if (result != 0) throw std::runtime_error(std::string(name) + ": error " + std::to_string(result));
}

Driver::Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
  if (library_ == nullptr) throw NoGpu("libcuda.so.1 cannot be loaded");
  int devices = 0;
  try {
    call("cuInit", 0U);
    call("cuDeviceGetCount", &devices);
  } catch (const std::runtime_error& error) {
    throw NoGpu(error.what());
  }
  if (devices == 0) throw NoGpu("the driver has no device");
  call("cuDeviceGet", &device_, 0);
}

std::string Driver::device_name() const {
  std::array<char, 256> name{};
  call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device_);
  return name.data();
}

int Driver::attribute(Attribute which) const {
  int value = 0;
  call("cuDeviceGetAttribute", &value, static_cast<int>(which), device_);
  return value;
}

Context Driver::make_context() {
  Context context = nullptr;
  call("cuCtxCreate_v2", &context, 0U, device_);
  return context;
}

Module Driver::load(const char* ptx) {
  Module module = nullptr;
  call("cuModuleLoadData", &module, static_cast<const void*>(ptx));
  return module;
}

Function Driver::function(Module module, const char* name) {
  Function function = nullptr;
  call("cuModuleGetFunction", &function, module, name);
  return function;
}

Address Driver::allocate(std::size_t bytes) {
  Address address = 0;
  call("cuMemAlloc_v2", &address, bytes);
  return address;
}

void* Driver::allocate_on_host(std::size_t bytes) {
  void* memory = nullptr;
  call("cuMemHostAlloc", &memory, bytes, 0U);
  return memory;
}

Stream Driver::make_stream() {
  Stream stream = nullptr;
  call("cuStreamCreate", &stream, 1U);  // independent of the default stream
  return stream;
}

void Driver::launch(Function function, unsigned blocks, unsigned threads, Stream stream, void** arguments) {
  call("cuLaunchKernel", function, blocks, 1U, 1U, threads, 1U, 1U, 0U, stream, arguments,
       static_cast<void**>(nullptr));
}

void Driver::copy_in(Address to, const void* from, std::size_t bytes, Stream stream) {
  call("cuMemcpyHtoDAsync_v2", to, from, bytes, stream);
}
void Driver::copy_out(void* to, Address from, std::size_t bytes, Stream stream) {
  call("cuMemcpyDtoHAsync_v2", to, from, bytes, stream);
}
void Driver::fill(Address to, std::size_t bytes, Stream stream) {
  call("cuMemsetD8Async", to, static_cast<unsigned char>(0), bytes, stream);
}
void Driver::wait() { call("cuCtxSynchronize"); }
void Driver::wait(Stream stream) { call("cuStreamSynchronize", stream); }

}  // namespace measure_gpu
