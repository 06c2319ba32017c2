// SPDX-License-Identifier: Apache-2.0
// The verbs below `amalthea gpu`.

#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/gpu/gpu_verb.hpp"
#include "cli/streams.hpp"

namespace amalthea::cli {

analysis::gpu::Watch gpu_watch(StatusLine& status) {
  analysis::gpu::Watch watch;
  watch.tell = [](const std::string& line) { tell("amalthea: {}\n", line); };
  watch.found = print_findings;
  watch.progress = [&status](const std::string& text) { status.show(text); };
  watch.can_write = [](const std::string& option, const std::string& path) {
    return (option.empty() || will_write({option, path})) && check_output(path);
  };
  return watch;
}

bool write_files(const std::vector<std::pair<std::string, std::string>>& files) {
  return std::all_of(files.begin(), files.end(), [](const auto& file) { return write_data(file.first, file.second); });
}

std::string gantt_text(const analysis::gpu::RunRequest& request, exporter::StreamsAnswer answer) {
  winsize size{};
  if (request.width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    answer.timeline.width = size.ws_col;
  return render_text(exporter::StreamsDrawing{std::move(answer)}, false);
}

namespace {

constexpr const char* keys_of_kernels =
    "Keys of a kernel:\n"
    "  pattern       sequential; coalesced: sequential in whole warps; random;\n"
    "                zero-copy: sequential in host memory; bulk: a whole kernel,\n"
    "                described by its demands\n"
    "  footprint     memory that all its blocks read again and again, such as\n"
    "                256KiB = 256KB = 262144\n"
    "  threads       threads per block (default: 1; coalesced: 32)\n"
    "  blocks        number of blocks (default: 1)\n"
    "  location      device (default) or zero-copy\n"
    "  lanes         random: differ (default) loads an element per lane, same one\n"
    "                per warp\n"
    "  fetch         sequential: bytes that a miss loads (default: from the profile)\n"
    "  own, load-path, memory-path\n"
    "                bulk: time that the kernel needs on resources it does not\n"
    "                share, on the load path of an SM, and on the memory path,\n"
    "                such as memory-path=530us\n"
    "  memory-share  --kernel only: share of its time that it waits for memory\n"
    "                (default: 1)\n"
    "  count         --beside only: number of such kernels\n"
    "A profile without measured memory figures uses its coarse table. Then only memory-share has an effect.";

constexpr const char* forms_of_masks =
    "Without --mask, --against compares ways to share the CUs. A kernel alone runs on every number of CUs.\n"
    "Masks:\n"
    "  0xff                     bit 0 is the least significant\n"
    "  0xffffffff,0x3           32-bit words, the lowest first\n"
    "  0-14,59                  CU numbers\n"
    "  packed:16, distributed:16, full, even, odd\n"
    "  bits:1010                bit 0 first\n"
    "See docs/reference/gpu-amd.md.";

/// Of single SMs and their blocks.
void add_verbs_of_sms(CLI::App& gpu, int& exit_code) {
  using namespace analysis::gpu;
  add_gpu_verb<OccupancyRequest>(
      gpu, exit_code,
      {"occupancy",
       "Compute the blocks that fit on an SM and the limiting resource",
       {"amalthea gpu occupancy --threads 256", "amalthea gpu occupancy --threads 256 --registers 64",
        "amalthea gpu occupancy --platform xavier --threads 128 --shared-memory 16384"}});
  add_gpu_verb<PartitionRequest>(
      gpu, exit_code,
      {"partition",
       "Predict kernel response times under CU masks of an AMD GPU",
       {"amalthea gpu partition --kernel mm1024 --against mm256", "amalthea gpu partition --kernel mm1024 --mask 0-14",
        "amalthea gpu partition --kernel mm1024   # alone, on every number of CUs"},
       forms_of_masks});
  add_gpu_verb<PlaceRequest>(
      gpu, exit_code,
      {"place",
       "Predict which SM runs which block of several streams",
       {"amalthea gpu place 4x5 8x2 --platform xavier", "amalthea gpu place 4x5 8x2 --sms 8 --max-warps 64",
        "amalthea gpu place --matrix 32 --max-warps 64 --picture table-ii.svg"},
       {},
       "STREAM",
       "Blocks x warps per block of each stream, such as 4x5, in launch order"});
}

/// Of files that describe what shares a GPU.
void add_verbs_of_scenarios(CLI::App& gpu, int& exit_code) {
  using namespace analysis::gpu;
  add_gpu_verb<RtaRequest>(
      gpu, exit_code,
      {"rta",
       "Analyze response times of kernels on one execution engine",
       {"amalthea gpu rta kernels.json", "amalthea gpu rta --releases periodic kernels.json",
        "amalthea gpu rta --trace kernels.json"},
       "Exit codes:\n  0  every kernel ends within its period T\n  1  a kernel ends after its period T, or the "
       "printed algorithm does not\n     terminate\n  2  wrong usage or unreadable input",
       "FILE",
       "JSON file such as {\"g_max\": 8, \"kernels\": [{\"r\": 0, \"C\": 4, \"g\": 2}]}"});
  add_gpu_verb<RunRequest>(gpu, exit_code,
                           {"run",
                            "Simulate contexts, streams, queues and blocks of a GPU",
                            {"amalthea gpu run scenario.json", "amalthea gpu run --format gantt scenario.json",
                             "amalthea gpu run --platform xavier --timeline run.svg scenario.json"},
                            {},
                            "SCENARIO",
                            "JSON file (docs/reference/gpu.md). Configurations of cuda_scheduling_examiner and "
                            "hip_plugin_framework work, too",
                            {"text", "json", "gantt", "csv"},
                            "Output format",
                            "platform"});
  add_gpu_verb<InterferenceRequest>(gpu, exit_code,
                                    {"interference",
                                     "Predict the slowdown of a kernel by other kernels and CPU memory traffic",
                                     {"amalthea gpu interference --kernel pattern=random,footprint=1MiB --cpu random",
                                      "amalthea gpu interference --kernel pattern=bulk,own=1ms --beside 3xsame",
                                      "amalthea gpu interference --platform tx2 --against-measurements"},
                                     keys_of_kernels});
  add_gpu_verb<BoundsRequest>(
      gpu, exit_code,
      {"bounds",
       "Bound response times of processes that share a GPU in time slices",
       {"amalthea gpu bounds tasks.json", "amalthea gpu bounds --format json tasks.json",
        "amalthea gpu bounds --format json tasks.json > bounds.json"},
       "docs/reference/gpu.md describes the file.\nExit codes:\n  0  every task meets its deadline\n  1  a task is "
       "not guaranteed to meet its deadline\n  2  wrong usage or unreadable input",
       "FILE",
       "JSON file with tasks and their CPU and GPU segments"});
}

void add_study(CLI::App& gpu, int& exit_code) {
  CLI::App* study = gpu.add_subcommand("study", "Evaluate a model in many configurations");
  study->require_subcommand(1);
  describe(*study, {"amalthea gpu study placement", "amalthea gpu study placement --configurations 1000",
                    "amalthea gpu study order scenario.json"});
  add_gpu_verb<analysis::gpu::PlacementStudyRequest>(
      *study, exit_code,
      {"placement",
       "Count how often round robin predicts the wrong SM for a block",
       {"amalthea gpu study placement", "amalthea gpu study placement --configurations 1000 --seed 7",
        "amalthea gpu study placement --format json"}});
  add_gpu_verb<analysis::gpu::LaunchOrderRequest>(
      *study, exit_code,
      {"order",
       "Search the launch order in which independent kernels and copies end first",
       {"amalthea gpu study order scenario.json", "amalthea gpu study order --orders 100000 scenario.json",
        "amalthea gpu study order --timeline best.svg scenario.json"},
       {},
       "SCENARIO",
       "JSON file (docs/reference/gpu.md)"});
  add_gpu_verb<analysis::gpu::PolicyStudyRequest>(
      *study, exit_code,
      {"policies",
       "Compare ways to share a GPU: slices, priorities, contexts, masks, grids, order",
       {"amalthea gpu study policies model.amxmi",
        "amalthea gpu study policies --vary slices --vary priorities model.amxmi",
        "amalthea gpu study policies --page policies.html scenario.json"},
       {},
       "INPUT",
       "Model file, or scenario as of amalthea gpu run (docs/reference/gpu.md)",
       {"text", "json", "csv"}});
}

/// Of the warps of an SM.
void add_verbs_of_warps(CLI::App& gpu, int& exit_code) {
  using namespace analysis::gpu;
  add_gpu_verb<WarpsRequest>(gpu, exit_code,
                             {"warps",
                              "Simulate the warp schedulers of an SM cycle by cycle",
                              {"amalthea gpu warps --latencies 2,1,int32:2,memory:20 --warps 4",
                               "amalthea gpu warps --latencies 2,2,memory:30 --warps 2,4 --policy qaws",
                               "amalthea gpu warps --sweep --programs 10 --format csv"},
                              {},
                              {},
                              {},
                              {"text", "json", "csv"},
                              "Output format. csv requires --sweep"});
  add_gpu_verb<MakespanRequest>(
      gpu, exit_code,
      {"makespan",
       "Compute the longest execution time of the warps of a kernel on an SM",
       {"amalthea gpu makespan --kernel \"5L 9C 2L 9C\" --warps 4",
        "amalthea gpu makespan --ptx kernel.ptx --warps 2 --time-limit 10",
        "amalthea gpu makespan --kernel LCL --warps 2 --string \"1 2 1 2 1 2\""},
       "docs/reference/makespan.md describes the model. Without --time-limit, every run gives the same result."});
}

}  // namespace

void add_gpu(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("gpu", "Run a GPU model on its own, without an AMALTHEA model");
  verb->group(group::gpu);
  verb->require_subcommand(1);
  describe(*verb, {"amalthea gpu occupancy --threads 256 --registers 32", "amalthea gpu run scenario.json",
                   "amalthea gpu place 4x5 8x2 --platform tx2"});
  add_verbs_of_sms(*verb, exit_code);
  add_verbs_of_scenarios(*verb, exit_code);
  add_study(*verb, exit_code);
  add_verbs_of_warps(*verb, exit_code);
}

}  // namespace amalthea::cli
