// SPDX-License-Identifier: Apache-2.0
// From device tasks of a model to operations, contexts and streams (docs/theory/gpu.md).

#include <catch2/catch.hpp>

#include "reference/gpu_program.hpp"
#include "reference/reading_values.hpp"

using namespace reference;

namespace {

using Kind = GpuOperation::Kind;
constexpr Time us = 1'000'000;

Item access(Index label, bool write) {
  Item item;
  item.kind = Item::Kind::label;
  item.target = label;
  item.write = write;
  return item;
}

Item ticks(std::int64_t least, std::int64_t most) {
  Item item;
  item.ticks.of = {{none, {least, most}}};
  return item;
}

Item call(Index runnable) {
  Item item;
  item.kind = Item::Kind::call;
  item.target = runnable;
  return item;
}

/// The device side of samples/offload-minimal.amxmi: one runnable, and the same in three.
struct Sample {
  Model model;
  enum : Index { image_host, image_device, result_host, result_device };
  Sample() {
    Unit gpu;
    gpu.name = "GPU";
    gpu.gpu = true;
    gpu.definition = 0;
    gpu.hertz = 1'000'000'000;
    gpu.access = {{true, {5, 5}, {5, 5}, 0}};
    model.units = {gpu};
    model.labels = {{"image_host", 64'000, 0, none, true},
                    {"image_device", 64'000, 0, none, false},
                    {"result_host", 4'000, 0, none, true},
                    {"result_device", 4'000, 0, none, false}};
    const std::vector<Item> in{access(image_host, false), access(image_device, true)};
    const std::vector<Item> out{access(result_device, false), access(result_host, true)};
    const Item work = ticks(2'000'000, 3'000'000);
    add("all", {in[0], in[1], work, out[0], out[1]});
    add("in", in);
    add("work", {access(image_device, false), work, access(result_device, true)});
    add("out", out);
    task("one", {call(0)});
    Item set;
    set.kind = Item::Kind::set;
    task("three", {call(1), call(2), call(3), set});
  }
  void add(const std::string& name, std::vector<Item> items) {
    Runnable& runnable = model.runnables.emplace_back();
    runnable.name = name;
    runnable.items = std::move(items);
  }
  Task& task(const std::string& name, std::vector<Item> items) {
    Task& task = model.tasks.emplace_back();
    task.name = name;
    task.device = true;
    task.units = {0};
    task.items = std::move(items);
    return task;
  }
};

}  // namespace

TEST_CASE("reference GPU: one runnable and three result in the same copies and kernels", "[reference]") {
  const Sample sample;
  for (const Index task : {0u, 1u}) {
    const auto steps = device_program(sample.model, task);
    REQUIRE(steps.size() == (task == 0 ? 3u : 4u));
    CHECK(steps[0].what.kind == Kind::to_device);
    CHECK(steps[0].what.most == 10 * us);  // 1000 lines read and 1000 written, 5 ns each
    CHECK(steps[1].what.kind == Kind::kernel);
    CHECK(steps[1].what.least == 2'000 * us);
    CHECK(steps[1].what.most == 3'000 * us);
    CHECK(steps[1].what.launch.empty());
    CHECK(steps[2].what.kind == Kind::from_device);
    CHECK(steps[2].what.least == 630'000);  // 63 lines twice
    if (task == 1) CHECK(steps[3].item->kind == Item::Kind::set);
  }
}

TEST_CASE("reference GPU: data rates, kinds of copies, and zero-copy", "[reference]") {
  Sample sample;
  sample.model.units[0].access[0].bytes_per_second = 1'000'000'000;  // 64 us for the image, more than its lines take
  CHECK(device_program(sample.model, 0)[0].what.most == 128 * us);
  sample.model.runnables[1].properties["gpu.copy"] = "memset";
  CHECK(device_program(sample.model, 1)[0].what.kind == Kind::memset);
  sample.model.runnables[0].properties["gpu.access"] = "zero-copy";
  CHECK(device_program(sample.model, 0).size() == 1);
  sample.add("both", {access(Sample::image_host, false), access(Sample::image_device, true),
                      access(Sample::result_device, false), access(Sample::result_host, true)});
  sample.task("split", {call(4)});
  const auto steps = device_program(sample.model, 2);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].what.kind == Kind::to_device);
  CHECK(steps[1].what.kind == Kind::from_device);
}

TEST_CASE("reference GPU: launches come from the runnable, else from its task", "[reference]") {
  Sample sample;
  sample.model.tasks[0].properties = {{"gpu.grid", "12"}, {"gpu.block", "32x16"}, {"gpu.registers", "40"}};
  sample.model.runnables[0].properties = {{"gpu.grid", "3x2"}, {"gpu.memoryIntensity", "0.2"}};
  const GpuOperation kernel = device_program(sample.model, 0)[1].what;
  REQUIRE(kernel.launch.size() == 1);
  CHECK(kernel.launch[0].blocks == 6);
  CHECK(kernel.launch[0].threads == 512);
  CHECK(kernel.launch[0].registers == 40);
  CHECK(kernel.memory == 200);
}

TEST_CASE("reference GPU: what this reading does not know is refused", "[reference]") {
  const auto refused = [](auto change) {
    Sample sample;
    change(sample.model);
    Behaviour behaviour;
    CHECK_THROWS_AS((device_program(sample.model, 0), devices(sample.model, behaviour, RunOptions())), Refused);
  };
  refused([](Model& model) { model.runnables[0].properties["gpu.instructions"] = "5L 9C"; });
  refused([](Model& model) { model.runnables[0].properties["gpu.access"] = "random"; });
  refused([](Model& model) { model.runnables[0].properties["gpu.grid"] = "4"; });
  refused([](Model& model) { model.runnables[0].properties["gpu.copy"] = "h2d"; });
  refused([](Model& model) { model.runnables[0].items.push_back(access(Sample::image_host, false)); });
  refused([](Model& model) { model.tasks[0].items.push_back(ticks(1, 1)); });
  refused([](Model& model) { model.tasks[0].properties["gpu.mpsShare"] = "50"; });
  refused([](Model& model) { model.tasks[0].properties["gpu.cuMask"] = "0xf"; });
  refused([](Model& model) { model.tasks[0].properties["gpu.priority"] = "urgent"; });
  refused([](Model& model) { model.units[0].properties["gpu.warpPolicy"] = "lrr"; });
  refused([](Model& model) { model.units[0].properties["gpu.platform"] = "radeon-vii"; });
  refused([](Model& model) { model.units[0].properties["gpu.contextScheduling"] = "priority"; });
  refused([](Model& model) {  // one stream, two priorities
    for (Task& task : model.tasks)
      task.properties = {
          {"gpu.context", "c"}, {"gpu.stream", "s"}, {"gpu.priority", task.name == "one" ? "low" : "high"}};
  });
}

TEST_CASE("reference GPU: tasks have contexts of their own unless they share one, with the longest slice",
          "[reference]") {
  Sample sample;
  sample.model.schedulers.emplace_back().parameters = {{"minimumTimeslice", "1000 us"}, {"maximumTimeslice", "3ms"}};
  for (Task& task : sample.model.tasks) task.scheduler = 0;
  sample.model.tasks[0].parameters["timeslice"] = "1.5 ms";
  sample.model.tasks[1].properties["gpu.timeslice"] = "50 ms";
  const auto end_of_second = [&] {
    Behaviour behaviour;
    auto all = devices(sample.model, behaviour, RunOptions());
    Device& device = all.at(0);
    GpuOperation work;
    work.least = work.most = 10'000 * us;
    device.gpu->submit(device.stream[0], work);
    device.gpu->submit(device.stream[1], work);
    for (device.gpu->settle(); !device.gpu->idle(); device.gpu->settle()) device.gpu->advance(device.gpu->next());
    return device.gpu->operations()[1].end;
  };
  CHECK(end_of_second() == (10'000 + 4 * 1'500) * us);  // slices of 1.5 and 3 ms: its fourth turn is the last
  for (Task& task : sample.model.tasks) task.properties["gpu.context"] = "one process";
  CHECK(end_of_second() == 20'000 * us);
}

TEST_CASE("reference GPU: masks disable TPCs, or enable them after a tilde", "[reference]") {
  for (const std::string mask : {"0x2", "~0x1", "~0xfffd"}) {
    Sample sample;
    sample.model.tasks[0].properties = {{"gpu.smMask", mask}, {"gpu.block", "32"}, {"gpu.grid", "4"}};
    RunOptions options;
    options.gpu.sms = 4;
    options.gpu.sms_per_tpc = mask == "~0xfffd" ? 1 : 2;
    Behaviour behaviour;
    auto all = devices(sample.model, behaviour, options);
    all[0].gpu->submit(all[0].stream[0], device_program(sample.model, 0)[1].what);
    all[0].gpu->settle();
    for (const Gpu::Block& block : all[0].gpu->blocks())
      CHECK(block.sm != (mask == "~0xfffd" ? 1 : block.sm < 2 ? -1 : block.sm));
  }
}

TEST_CASE("reference GPU: times have units", "[reference]") {
  CHECK(time_of("7200µs", "") == 7'200 * us);
  CHECK(time_of("1000 us", "") == 1'000 * us);
  CHECK(time_of("2.5 ms", "") == 2'500 * us);
  CHECK(time_of("17ps", "") == 17);
  for (const char* bad : {"", "5", "ms", "5 m", "0.5ps", "1.2.3ms"}) CHECK_THROWS_AS(time_of(bad, ""), Refused);
}
