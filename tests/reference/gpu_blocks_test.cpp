// SPDX-License-Identifier: Apache-2.0
// Streams, queues and blocks of one context on SMs: the rules of Amert et al., RTSS 2017, the response time examples of
// Paredes Zevallos, 2019, and the placement of Olmedo et al., RTAS 2020.

#include <catch2/catch.hpp>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "reference/gpu_scenario.hpp"
#include "support/skip.hpp"

using namespace reference;

namespace {

using Kind = GpuOperation::Kind;

struct KernelOfTask {
  Time release, time;
  std::int64_t blocks;
};

/// Ends of kernels with a stream each, on a TX2, whose blocks have `threads`.
std::vector<Time> ends(const std::vector<KernelOfTask>& kernels, int threads) {
  Behaviour behaviour;
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  std::vector<Request> requests;
  for (const KernelOfTask& each : kernels)
    requests.push_back({each.release, gpu.add_stream(context, false), kernel(each.time, each.blocks, threads)});
  return execute(gpu, requests);
}

GpuSettings sms(int count, int warps) {
  GpuSettings settings;
  settings.sms = count;
  settings.warps = warps;
  settings.threads_per_block = 32 * warps;
  return settings;
}

/// The SMs of the blocks of streams that launch one after the other: number of blocks, warps of each.
std::vector<std::vector<int>> placed(const GpuSettings& settings, const std::vector<std::pair<int, int>>& streams) {
  Behaviour behaviour;
  Gpu gpu(0, settings, false, behaviour);
  const auto context = gpu.add_context({});
  for (const auto& [blocks, warps] : streams) {
    gpu.submit(gpu.add_stream(context, false), kernel(1'000, blocks, 32 * warps));
    gpu.settle();
  }
  std::vector<std::vector<int>> result(streams.size());
  for (const Gpu::Block& block : gpu.blocks()) result[block.operation].push_back(block.sm);
  return result;
}

Time end_of_instructions(const std::string& instructions, int threads, Behaviour::Rule rule) {
  GpuSettings settings;
  settings.units = "LCCCC";
  Behaviour behaviour(rule);
  Gpu gpu(0, settings, false, behaviour);
  GpuOperation what = kernel(1'000, 1, threads);
  what.instructions = instructions;
  return execute(gpu, {{0, gpu.add_stream(gpu.add_context({}), false), what}}).front();
}

/// A published test vector, in AMALTHEA_SPEC (default ../shared/spec); empty: absent.
std::string vectors(const char* file) {
  const char* folder = std::getenv("AMALTHEA_SPEC");
  std::ifstream in(std::string(folder != nullptr ? folder : AMALTHEA_SOURCE_DIR "/../shared/spec") + "/vectors/" +
                   file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("reference GPU: in every cycle, warps share the units and schedulers of their SM", "[reference]") {
  for (const auto rule : {Behaviour::Rule::least, Behaviour::Rule::most, Behaviour::Rule::random}) {
    CHECK(end_of_instructions("CCC", 32, rule) == 3'000);
    CHECK(end_of_instructions("C", 256, rule) == 2'000);  // eight warps, four schedulers
    CHECK(end_of_instructions("LLLC", 64, rule) == 7'000);
  }
}

TEST_CASE("reference GPU: the thesis' example and its three scenarios end as published", "[reference]") {
  const KernelOfTask k1{0, 4, 2}, k2{0, 6, 7}, k3{0, 6, 2}, k4{0, 5, 5};  // eight blocks of 512 threads at a time
  CHECK(ends({k1, k2, k3, k4}, 512) == std::vector<Time>{4, 10, 12, 11});
  CHECK(ends({k2, k3, k4, k1}, 512) == std::vector<Time>{6, 12, 11, 10});
  CHECK(ends({k2, k4, k1, k3}, 512) == std::vector<Time>{6, 11, 10, 12});
  CHECK(ends({k2, k1, k3, k4}, 512) == std::vector<Time>{6, 8, 12, 11});
}

TEST_CASE("reference GPU: the thesis' algorithm as corrected for releases, rounds and full GPUs", "[reference]") {
  CHECK(ends({{0, 4, 6}, {10, 3, 4}}, 512) == std::vector<Time>{4, 13});
  CHECK(ends({{0, 4, 8}, {0, 2, 3}}, 512) == std::vector<Time>{4, 6});
  CHECK(ends({{0, 3, 8}}, 512) == std::vector<Time>{3});
  CHECK(ends({{0, 3, 16}}, 512) == std::vector<Time>{6});
  CHECK(ends({{0, 3, 5}, {0, 3, 11}}, 512)[1] == 6);
  CHECK(ends({{1, 5, 2}, {4, 9, 4}, {7, 2, 10}}, 512) == std::vector<Time>{6, 13, 13});
}

TEST_CASE("reference GPU: random sets of kernels with releases end as in the published vectors", "[reference]") {
  const std::string text = vectors("rta.json");
  if (text.empty()) test::skip("published test vectors (AMALTHEA_SPEC)");
  // Numbers per set: gmax, triples (r, C, g), ends, responses; the keys separate them.
  std::size_t at = 0;
  const auto numbers = [&](const std::string& key, const std::string& until) {
    std::vector<std::int64_t> found;
    const std::size_t begin = text.find("\"" + key + "\"", at) + key.size() + 2;
    at = text.find(until, begin);
    for (std::size_t i = begin; i < at; ++i) {
      if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
      char* rest = nullptr;
      found.push_back(std::strtoll(text.data() + i, &rest, 10));
      i = static_cast<std::size_t>(rest - text.data());
    }
    return found;
  };
  int sets = 0;
  while (text.find("\"gmax\"", at) != std::string::npos) {
    const auto held = numbers("gmax", "\"tau\"").front();
    const auto tau = numbers("tau", "\"f\"");
    const auto expected = numbers("f", "\"R\"");
    std::vector<KernelOfTask> kernels;
    for (std::size_t i = 0; i + 2 < tau.size(); i += 3) kernels.push_back({tau[i], tau[i + 1], tau[i + 2]});
    CHECK(ends(kernels, static_cast<int>(4096 / held)) == expected);
    ++sets;
  }
  CHECK(sets == 10);
}

TEST_CASE("reference GPU: small blocks do not pass the kernel at the head of the queue (X1)", "[reference]") {
  Behaviour behaviour;
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  for (int stream = 0; stream < 3; ++stream) gpu.add_stream(context, false);
  CHECK(execute(gpu, {{0, 0, kernel(4, 3, 1024)}, {0, 1, kernel(2, 2, 1024)}, {0, 2, kernel(1, 4, 256)}}) ==
        std::vector<Time>{4, 4, 5});
}

TEST_CASE("reference GPU: streams of high priority go before blocks that wait, not before resident ones (A2)",
          "[reference]") {
  Behaviour behaviour;
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false);
  gpu.add_stream(context, true);
  CHECK(execute(gpu, {{0, 0, kernel(4, 6, 1024)}, {1, 1, kernel(2, 2, 1024)}}) == std::vector<Time>{8, 6});
  // The high queue is empty as soon as its blocks are assigned: low ones run beside them.
  CHECK(execute(gpu, {{10, 1, kernel(4, 2, 1024)}, {10, 0, kernel(3, 2, 1024)}}) == std::vector<Time>{14, 13});
}

TEST_CASE("reference GPU: operations of a stream follow one another - a copy begins a kernel of 6 blocks later",
          "[reference]") {
  Behaviour behaviour;  // the scenario of docs/reference/gpu.md, in us
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false);
  gpu.add_stream(context, true);
  CHECK(execute(gpu,
                {{0, 0, whole(Kind::to_device, 200)}, {0, 0, kernel(4'000, 6, 512)}, {1'000, 1, kernel(300, 1, 64)}}) ==
        std::vector<Time>{200, 4'200, 1'300});
}

TEST_CASE(
    "reference GPU: a request of the NULL stream waits for earlier ones of its context, and later ones wait for it",
    "[reference]") {
  Behaviour behaviour;
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false);
  gpu.add_stream(context, false, {}, true);
  gpu.add_stream(context, false);
  // The copy and the last kernel wait together; they have different engines.
  CHECK(execute(gpu, {{0, 0, kernel(10, 1, 32)},
                      {1, 1, kernel(5, 1, 32)},
                      {2, 2, whole(Kind::to_device, 4)},
                      {3, 0, kernel(6, 1, 32)}}) == std::vector<Time>{10, 15, 19, 21});
}

TEST_CASE("reference GPU: which of simultaneous requests comes first is a question", "[reference]") {
  Behaviour behaviour;
  behaviour.set(Question::Kind::gpu_request_order, 0, 0, 1);
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false);
  gpu.add_stream(context, false);
  CHECK(execute(gpu, {{0, 0, kernel(4, 4, 1024)}, {0, 1, kernel(2, 4, 1024)}}) == std::vector<Time>{6, 2});
}

TEST_CASE("reference GPU: blocks of a kernel in a shared context may take different times", "[reference]") {
  Behaviour behaviour;
  behaviour.set(Question::Kind::block_time, 0, 1, 3);
  Gpu gpu(0, {}, false, behaviour);
  GpuContext context;
  context.shared = true;
  gpu.add_stream(gpu.add_context(context), false);
  GpuOperation varying = kernel(1, 3, 1024);
  varying.most = 5;
  CHECK(execute(gpu, {{0, 0, varying}}) == std::vector<Time>{3});
  CHECK(gpu.blocks()[0].end == 1);
  CHECK(gpu.blocks()[1].end == 3);
}

TEST_CASE("reference GPU: registers, shared memory, and block slots limit the blocks of an SM", "[reference]") {
  const auto rounds = [](Launch launch) {
    Behaviour behaviour;
    Gpu gpu(0, {}, false, behaviour);
    gpu.add_stream(gpu.add_context({}), false);
    GpuOperation what = whole(Kind::kernel, 1);
    what.launch = {launch};
    return execute(gpu, {{0, 0, what}}).front();
  };
  CHECK(rounds({8, 256, 64, 0, ""}) == 1);  // 8 warps of 64 x 32 registers: four blocks on each SM
  CHECK(rounds({9, 256, 64, 0, ""}) == 2);
  CHECK(rounds({16, 256, 32, 0, ""}) == 1);    // 32 registers never bind before threads do (N18)
  CHECK(rounds({3, 32, 0, 40'000, ""}) == 2);  // one block of 40 kB on each SM
  CHECK(rounds({64, 32, 0, 3'072, ""}) == 1);  // up to 3 KB does not count (N17)
  CHECK(rounds({39, 32, 0, 3'073, ""}) == 2);  // 3328 bytes: 19 on each SM
  CHECK(rounds({65, 32, 0, 0, ""}) == 2);      // 32 blocks on each SM, as measured on a TX2
  CHECK_THROWS_AS(rounds({1, 1'025, 0, 0, ""}), Refused);
  CHECK_THROWS_AS(rounds({1, 32, 0, 50'000, ""}), Refused);
}

TEST_CASE(
    "reference GPU: kernels with different cache configurations do not run together (N8), nor beside one without "
    "launch",
    "[reference]") {
  Behaviour behaviour;
  Gpu gpu(0, {}, false, behaviour);
  const auto context = gpu.add_context({});
  for (int stream = 0; stream < 3; ++stream) gpu.add_stream(context, false);
  GpuOperation shared = kernel(4, 1, 32), cached = kernel(3, 1, 32);
  shared.launch.front().cache = "shared";
  cached.launch.front().cache = "l1";
  CHECK(execute(gpu, {{0, 0, shared}, {0, 1, cached}, {0, 2, cached}}) == std::vector<Time>{4, 7, 7});
  CHECK(execute(gpu, {{10, 0, shared}, {10, 1, whole(Kind::kernel, 5)}, {10, 2, shared}}) ==
        std::vector<Time>{14, 19, 23});
  CHECK_THROWS_AS(gpu.submit(0, kernel(1, 1, 32)), Refused);
}

TEST_CASE("reference GPU: a mask confines blocks, and kernels behind wait even for other SMs", "[reference]") {
  GpuSettings settings = sms(80, 64);  // a TITAN V; every second TPC of two SMs, as in docs/reference/gpu.md
  settings.threads_per_block = 1024;
  std::vector<bool> first(80), second(80);
  for (std::size_t sm = 0; sm < 80; ++sm) (sm / 2 % 2 == 0 ? first : second)[sm] = true;
  Behaviour behaviour;
  Gpu gpu(0, settings, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false, first);
  gpu.add_stream(context, false, second);
  CHECK(execute(gpu, {{0, 0, kernel(2, 80, 1024)}, {0, 1, kernel(2, 120, 1024)}}) == std::vector<Time>{2, 4});
  for (const Gpu::Block& block : gpu.blocks())
    CHECK((block.operation == 0 ? first : second)[static_cast<std::size_t>(block.sm)]);
  CHECK(execute(gpu, {{10, 0, kernel(2, 81, 1024)}, {10, 1, kernel(2, 1, 1024)}}) == std::vector<Time>{14, 14});
}

TEST_CASE("reference GPU: blocks go to the SMs of Olmedo's examples (N14, N16)", "[reference]") {
  using Sms = std::vector<std::vector<int>>;
  const GpuSettings xavier = sms(8, 64);
  CHECK(placed(xavier, {{4, 4}, {4, 4}}) == Sms{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(placed(xavier, {{4, 4}, {4, 5}}) == Sms{{0, 2, 4, 6}, {0, 2, 4, 6}});
  CHECK(placed(xavier, {{7, 6}}) == Sms{{0, 2, 4, 6, 1, 3, 5}});
  CHECK(placed(xavier, {{6, 16}, {16, 2}})[1] == std::vector<int>{5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7});
  CHECK(placed(xavier, {{6, 16}, {16, 4}})[1] == std::vector<int>{5, 7, 5, 7, 5, 7, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7});
}

TEST_CASE("reference GPU: a second stream's block joins the first one's SM in the published number of cells (N15)",
          "[reference]") {
  const auto cells = [](int warps, int size, int held) {
    std::string rows;
    for (int x = 1; x <= size; ++x) {
      for (int y = 1; y <= size; ++y) {
        std::vector<std::pair<int, int>> streams;
        if (held > 0) streams.emplace_back(8, held);
        streams.insert(streams.end(), {{1, x}, {1, y}});
        const auto where = placed(sms(8, warps), streams);
        const auto& first = where[where.size() - 2];
        const auto& second = where.back();
        rows += !first.empty() && first == second ? '1' : '0';
      }
      rows += '\n';
    }
    return rows;
  };
  const auto ones = [](const std::string& rows) { return std::count(rows.begin(), rows.end(), '1'); };
  const std::string pascal = cells(64, 64, 0), turing = cells(32, 32, 0);
  CHECK(ones(pascal) == 693);
  CHECK(ones(cells(64, 32, 0)) == 197);  // Table II
  CHECK(ones(turing) == 167);
  CHECK(cells(64, 32, 32) == turing);  // Table III
  if (vectors("olmedo_same_64_64.txt").empty()) return;
  CHECK(pascal == vectors("olmedo_same_64_64.txt") + "\n");
  CHECK(turing == vectors("olmedo_same_32_32.txt") + "\n");
}
