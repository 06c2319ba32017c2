// SPDX-License-Identifier: Apache-2.0
// The kernels of measure-gpu. clang's NVPTX back end makes PTX from them, without a CUDA toolkit.

using u32 = unsigned int;
using u64 = unsigned long long;

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static __attribute__((device)) inline

DEVICE u32 thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE u32 block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE u32 sm() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
DEVICE u64 nanoseconds() {
  u64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Every block records its SM, its start and its end, and spins for a time. records: three numbers per block.
KERNEL spin(u64* records, u64 duration) {
  const u64 start = nanoseconds();
  if (thread() == 0) {
    records[3 * block()] = sm();
    records[3 * block() + 1] = start;
  }
  while (nanoseconds() - start < duration) {
  }
  if (thread() == 0) records[3 * block() + 2] = nanoseconds();
}

/// One thread records the time again and again, until `count` gaps of at least `threshold` nanoseconds have passed or
/// the time is over: begin and end of every gap. Gaps are times in which another process has the GPU.
KERNEL watch(u64* gaps, u32 count, u64 threshold, u64 duration) {
  const u64 start = nanoseconds();
  u64 last = start;
  u32 found = 0;
  while (found < count && last - start < duration) {
    const u64 now = nanoseconds();
    if (now - last >= threshold) {
      gaps[2 + 2 * found] = last;
      gaps[3 + 2 * found] = now;
      ++found;
    }
    last = now;
  }
  gaps[0] = found;
  gaps[1] = start;
}

/// Every thread reads a buffer of `words` words in steps, `loops` times over: traffic for a cache or the memory.
KERNEL walk(u64* records, const u32* buffer, u32 words, u32 loops, u32 threads, u32* sink) {
  const u64 start = nanoseconds();
  u32 sum = 0;
  for (u32 loop = 0; loop < loops; ++loop)
    for (u32 at = block() * __nvvm_read_ptx_sreg_ntid_x() + thread(); at < words; at += threads) {
      u32 value;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(buffer + at));
      sum += value;
    }
  if (sum == 0xffffffffU) sink[0] = sum;
  if (thread() == 0) {
    records[3 * block()] = sm();
    records[3 * block() + 1] = start;
    records[3 * block() + 2] = nanoseconds();
  }
}
