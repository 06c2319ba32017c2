// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on response times of processes that share GPUs by time slices, while their host parts share CPU cores.
///
/// The model. A task runs on one core under preemptive fixed priorities. Its jobs are released at least a period apart
/// and are sequences of CPU segments and GPU segments. A GPU segment is a sequence of copies and kernels, each
/// submitted when the previous one has ended; the job waits for the last. It waits busily (polls: keeps the core at its
/// priority) or suspends (leaves it). Each GPU segment runs in a stream of a context of a GPU. The copy engines and the
/// execution engine of a GPU are arbitrated separately (N6), each by the work-conserving round robin of runlist.hpp
/// (N5). A context that only one task uses has at most one outstanding operation; streams.hpp bounds how long the
/// operations of several tasks in one context delay each other (9).
///
/// The reference is the analysis of the driver's default scheduling in Wang, Liu, Wong, Kim, "GCAPS: GPU Context-Aware
/// Preemptive Priority-based Scheduling for Real-Time Tasks", ECRTS 2024. docs/theory/gpu.md compares both.
///
/// Notation: L slice, theta context switch, C execution on the core, T period, R response bound. Consecutive operations
/// of a segment on one engine are a group, since the engine treats them as one operation.
///
/// (1) Turns. A turn of a context ends when it runs out of work or, after at least L, when another context requests the
///     engine. So a group of work W has at most q = max(1, ceil(W / L)) turns, and waits at most q times. The rest of a
///     running slice when a group begins can only save a wait.
/// (2) Slots. Before each turn of the waiting context, the engine serves every other context k for at most its slots in
///     the runlist between two slots of the waiting context. Each slot takes at most L_k (an uncontested slice renews
///     itself, so it ends at most L_k after another context gets work), plus the overrun b_k to the next preemption
///     point, plus theta. If one task uses k, a slot also ends when k runs out of work: after its longest groups that
///     follow each other without time in between, since the task has one operation at a time.
/// (3) Demand. In any window of length w, context k has work on an engine from at most
///     ceil((w + R_k - pre_k - post_k) / T_k) jobs, where pre_k and post_k are the minimum time of a job before its
///     first and after its last operation on that engine: a job released at r uses the engine only within
///     [r + pre_k, r + R_k - post_k]. Each job contributes its work, in the number of turns of (1). Of the first job
///     only what fits before its end counts (executed_within), and of a task only what begins in parts (PartSequence).
///     Without R_k: jobs of k run one after the other, none shorter than its best case B_k. So n jobs that use the
///     engine in a window take at least post_k + (n - 2) B_k + pre_k: at most
///     ceil((w + 2 B_k - pre_k - post_k) / B_k) jobs.
/// (4) Group. At any instant between submission and end, the engine serves the group, serves or switches to another
///     context, or switches to the group's own: the smallest D with
///       D = W + theta min(q, 1 + sum_k n_k) + sum_k [ min(s_k (L_k + b_k), work_k(D)) + theta n_k ],
///     n_k = min(s_k, turns_k(D)), s_k the slots of (2) before q turns. If the engine has no other context, there are
///     no switches.
///     A group also takes at most as long as its engine may have work without a break: what is submitted since the
///     engine was without work. This limits the sum of all waits.
/// (5) Slowdown. A kernel beside another context's copy, a copy beside another's kernel, and both beside label accesses
///     of a core are f times slower, with a factor f for each aggressor; of several only the largest factor counts. For
///     work W this costs at most (F - 1) W with the largest F. Aggressor a, which is active for B_a in the window,
///     costs at most (1 - 1/f_a) B_a: while it is the worst one, W loses that share of the time. So the sum over all
///     aggressors, but at most (F - 1) W, is a limit; those with factors of at most f together cost at most (f - 1) W.
///     Constant traffic of CPUs is an aggressor that costs (f - 1) W at most, whatever the others do.
///     B_a is for a task its work on the other engines by (3), and for a task that accesses memory at most
///     ceil((w + R_a) / T_a) jobs with all their accesses. A task never slows itself down, since it has one operation
///     at a time; as a host it does so with the accesses that it executes beside the GPU. Work in (3) is slowed down at
///     most by this value for each group of the job, and by the full factor if R_k is unknown.
/// (6) Response. Let hp be the tasks of at least the priority of i on its core, divided into M, which occupy time as if
///     they polled, and J, which are counted with jitter. Polling tasks and those without GPU segments are in M;
///     suspending ones can be in either, and every division gives a bound. Let t0 be the release of a job of i, f its
///     end, t' <= t0 the last instant at which no earlier job of M is pending. At every instant of [t', f) consider the
///     most urgent pending job j of M and i. If j is in a CPU segment, j or a task of J runs on the core. If it is in a
///     GPU segment, its engine serves or switches to a context of M or i, which is own work, or to another context k.
///     So X = f - t' is at most the smallest solution of
///       X = C_i + G_i + sum_{h in M} ceil(X / T_h) (C_h + G_h) + sum_{h in J} ceil((X + R_h - C_h) / T_h) C_h
///           + sum_{k not in M, k != i} min( sum_{j in M and i} jobs_j(X) I_{j,k}, demand_k(X) )
///     with G the own work and own switches of the job's groups, I_{j,k} the time they wait for k by (4), and demand_k
///     the work of (3) on both engines with its switches. R_i = X if X <= T_i.
///     Beyond that, jobs of i may be pending at t0: let t' be the last instant at which no earlier job of M and i is.
///     For a job that q jobs of i precede in [t', t0], q + 1 jobs of i count in C_i + G_i and jobs_i, and R_i = max
///     over q of X - max(0, q T_i - V_i). If X <= (q + 1) T_i - V_i, all jobs of M and i have ended by t' + X, so that
///     no later job of i has the same t': q is the last one.
///     For J: a job of h that still runs at the start of the window ends within R_h of its release, so it has at most
///     the rest of that left to run. A shift of its release adds at the end of the window what it removes at the start.
///     M needs no bounds for its tasks, J does. A task h of J executes most if one of its CPU segments begins with the
///     window and everything follows as early as it can: a CPU segment after the best time of the GPU segment before it
///     (unless part of the job executes beside that), and the q-th job after the first at least q T_h - V_h - R_h after
///     the end of the first. What then begins in the window is another limit (segments of self-suspending tasks, compare
///     Nelissen, Fonseca, Raravi, Nelis, "Timing analysis of fixed priority self-suspending sporadic tasks", ECRTS 2015).
///     If no task of M and i leaves the core while it waits, and nothing blocks i, less urgent tasks of the core do not
///     execute in the window. So demand_k of such a task is one of its GPU segments, which it submitted before; and so it
///     is in (4) if i keeps the core.
///     Blocking. Assume that i cannot preempt a section of a lower-priority task, of length at most B_i. One such
///     section can have begun before t', and another whenever no job of M and i requests the core. B_i is added once
///     and, if any task of M and i suspends, once more for each job of M, and for each GPU segment of a suspending task
///     of M and i.
/// (7) Segments. A CPU segment of i that becomes ready at t0 and ends at f does so within the smallest solution of (6)
///     with C_i its own time, G_i = 0, and i's context among the k, by the same argument. With the D of all groups in
///     between, the sum is another bound for R_i, smaller if other tasks of the core run during long GPU segments.
///     The waits for k of all groups are at most the demand of k in the whole sum. A GPU segment that ends while the
///     core is occupied continues with its next CPU segment, which may take no time but needs the core (it counts as
///     one moment). Beyond the period, a job takes at most this sum after its predecessor,
///     and R_i is the maximum over q of q + 1 times the sum minus max(0, q T_i - V_i), if the sum is at most T_i.
/// (7a) Release jitter. If the releases of k are delayed by up to V_k after instants at least T_k apart,
///     ceil((w + V_k) / T_k) of them fall in a window w: V_k is added in every numerator of (3) and (6). R still counts
///     from the release. Two releases are at least T_k - V_k apart.
/// (8) All R together are the smallest common fixed point, reached from below. It is a bound for all: at the first
///     instant at which one were exceeded, the others would have held so far, and with them (3) and (6). There are two
///     such fixed points: without responses beyond T_k - V_k, where such tasks have no R_k, and with them, in windows
///     of up to 64 periods. The smaller bound of each task and segment counts.
/// (9) Streams. Several tasks may use one context. Their operations share its turns, so (1), (2) and (4) apply to the
///     time S for which the context must be served until a group has ended, in place of W. streams.hpp bounds S: by the
///     work of each other stream in the window, and, for streams that cannot overtake, by one operation of it for each
///     operation of the group. In (6) what other streams of its context delay a job of M or i counts in full, like
///     I_{j,k}. Tasks that use the same stream wait in addition for one operation of each other task of the stream
///     before each of their own.
///     Slowdown (5): consider a clock that runs at 1/k while anything slows down operations of the context, with their
///     largest factor k, else at 1. On this clock no block takes longer than without slowdown. So S, as bounded without
///     slowdown, grows by at most (k - 1) S. For each aggressor (copies of another task; its kernels, for kernels only
///     the resident ones; label accesses of a task), with its own k, it also grows by at most (1 - 1/k) of the time in
///     which it is active.
///
/// (4a) Contexts by priority. If a GPU always serves the most urgent context, as GCAPS proposes, there are no turns. A
///     group waits for everything that contexts of at least its urgency request in the window, which (3) bounds. Each of
///     their groups causes at most a switch to its context and a switch back. When the group arrives, a less urgent
///     context may be served up to its next preemption point, and the switch to it may be under way.
/// (10) Concurrent offloads. A job may trigger several GPU segments before it waits for them. Then each belongs to a task
///     of its own in the problem, and the task of the job is its *host*. A segment ends within the D of its groups after
///     its trigger, whatever the job does meanwhile. Consider the last wait at which the job is not ready, and the
///     trigger of its segment: all waiting after this trigger lies within D of it. The same argument applies to the
///     steps before the trigger. So a job waits in all for at most the largest sum of D over segments that do not overlap
///     in the order of its steps. This sum is own work in (6), and is added in (7). The segment ends before the job, so
///     (3) uses the releases and the R of the host. While a segment is at work, only this job of the host is. So the other
///     segments of the host count with one job. Another limit: what remains of each D without the waits for contexts k of
///     other tasks is own work, and the waits for each k, summed up in the same way, are part of I_{i,k}.
/// (11) NULL stream. A process has a NULL stream beside other streams, all of one priority, each of the others is used by
///     one task, and slices end at instructions. Then it counts as one stream whose operations may overlap. Number the
///     operations of the process by their submission. Of those that have not ended, consider the first, E. It is the
///     first of its stream and no barrier holds it back, so it is in the queue of its engine. No later operation is
///     before it there: what a barrier held back enters in the order of submission, and nothing else waits. So while E
///     is the first, it takes at most what (4) and (9) yield for an operation that is alone in its context, slowed down
///     by all other tasks of the process. An operation X ends after all earlier ones have been E: at most one of each
///     other task, since a task has one operation at a time.
/// (12) Shared SMs. If warps of a context share SMs (shared_warps.hpp), a kernel takes its own time, and what every job of
///     other streams in the window (3) adds. Each job accounts for its own time and for what it adds, as the work of its
///     context. The SMs keep their state while another context is served, so (9) holds for this work, too.
///
/// Equal priorities count as higher, which covers any order among them. Everything rounds up.
///
/// Bounds hold for the model: calls take no time; in a context that one task uses, blocks of one kernel take equally
/// long (otherwise SMs that run out of work before the end of an overrun cost time that is not counted).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/primitives/counted_steps.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/interference.hpp"
#include "engine/gpu/kernel_delays.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/gpu/sharing.hpp"
#include "engine/gpu/slowdown.hpp"
#include "engine/input/located_json.hpp"
#include "engine/nvidia/contention.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

// ---- one engine

/// Jobs that request an engine: in a window w at most ceil((w + jitter) / period), each for `work` in `turns` turns.
struct EngineDemand {
  Duration period;  ///< > 0
  Duration jitter;
  Duration work;
  std::int64_t turns = 1;
  bool within_jitter = false;  ///< each executes its work within `jitter` of its release; releases are a period apart
  Duration lag = {};           ///< for how long after that it may still count
};
/// The most that jobs execute in a window: each at most `work`, within `spread` of instants at least a period apart.
Duration executed_within(Duration window, Duration period, Duration spread, Duration work);

/// What counts of the jobs at the ends of a window: the whole job, or the part that fits into the window. Parts grow as
/// fast as the window, so that a search for the smallest solution might take a picosecond at a time. So a search counts
/// whole jobs. What it finds is then lowered with parts: inserted into the right side, a bound yields a bound.
enum class CarriedIn : std::uint8_t { whole, part };
constexpr int rounds_from_above = 4;

/// What a job executes one after the other on a core or an engine: `parts`, at most, with breaks of at least `gaps`
/// after them, the last one up to the end of the job. A job ends within `latest` after instants at least a period apart.
struct PartSequence {
  Duration period, latest;
  Duration head;  ///< at least, from the begin of a job to its first part
  std::vector<Duration> parts, gaps = {};
};
/// The most that jobs execute in a window: one of the parts begins with it, and everything follows as early as it can.
/// Adds to `steps` how many parts it visits.
Duration executed_within(Duration window, const PartSequence& sequence, std::int64_t& steps, CarriedIn carried_in);

/// A demand in a window.
struct EngineShare {
  Duration work;
  std::int64_t turns = 0;
};
/// The sum; saturates at the largest Duration.
EngineShare share_of(const std::vector<EngineDemand>& demands, Duration window,
                     CarriedIn carried_in = CarriedIn::whole);

/// A context in an engine's round robin.
struct SharingContext {
  Duration slice;    ///< > 0
  Duration overrun;  ///< maximum time from the end of a slice to the next preemption point
  ContextPriority priority = ContextPriority::medium;
  std::int64_t urgency = 0;  ///< larger is more urgent; counts if the GPU serves contexts by priority
  /// The maximum time for which it requests this engine without a break; nothing: no limit is known.
  std::optional<Duration> longest_request = {};
  /// Its maximum demands for this engine; nothing: it may always request it. Empty: it never does.
  std::optional<std::vector<EngineDemand>> demand;
  /// What the task executes that uses it alone, together with other contexts that have the same; null: unknown.
  const PartSequence* sequence = nullptr;
  /// It requests nothing while the group waits, but the engine may have served it before.
  bool idle = false;
};

/// What another stream of the same context executes on the engine before a group has ended (9).
struct StreamRival {
  std::size_t stream = 0;
  std::optional<Duration> most;                     ///< whatever it requests; nothing: no limit
  std::optional<std::vector<EngineDemand>> demand;  ///< nothing: it may always request the engine
};
/// One way to bound the time for which the engine serves the context until a group has ended: `own`, and of every rival
/// the smaller of its two limits.
struct StreamDelay {
  Duration own;
  std::vector<StreamRival> rivals;
  bool or_before = false;  ///< of this way and the one before, the larger counts
};

/// Something that slows down a group, or the operations of its context while it is served (5), (9).
struct SlowdownCause {
  Slowdown factor;                     ///< the largest
  std::optional<EngineDemand> demand;  ///< when it is active; nothing: it may always be
  bool constant = false;               ///< it always is, with no other factor
};

/// Label accesses of a task on a core, as a group of another task sees them; nothing: all the time.
using CpuDemand = std::optional<EngineDemand>;
/// Of a task without response bound: its jobs run one after the other, as in (3).
CpuDemand accesses_without_response(Duration shortest_job, Duration accesses);

/// Consecutive operations of one task on one engine.
struct OperationGroup {
  Duration work;     ///< without slowdown
  Duration slowest;  ///< with maximum slowdown all the time, >= work
  Slowdown full{};   ///< the largest slowdown of its operations
  std::vector<SlowdownCause> aggressors = {};
  /// In a context that several tasks use: the ways to bound it, all with the same rivals. Empty: no other task uses it.
  std::vector<StreamDelay> ways = {};  ///< without slowdown
  Duration drain = {};  ///< in such a context: what the end of one of its own slices may cost, without progress
};

/// Time in which an engine serves another context while a group waits.
struct ContextWait {
  Duration slices;
  Duration overruns;
  Duration switches;  ///< switches to that context
  Duration total() const { return slices + overruns + switches; }
};

/// The maximum time of a group from submission to end, and its parts, which add up to `response` with `waiting` in
/// place of `waits`.
struct GroupBound {
  Duration response;
  Duration waiting;  ///< for all other contexts together, at most the sum of `waits`
  Duration work;
  Duration slowdown;               ///< additional time caused by the aggressors
  Duration own_switches;           ///< switches back to the group's context
  Duration served;                 ///< for which the context is served until the end, apart from drains
  Duration drains;                 ///< ends of own slices
  std::vector<Duration> queued;    ///< parallel to the rivals
  std::vector<Duration> slowed;    ///< parts of `slowdown`, parallel to the aggressors
  std::vector<ContextWait> waits;  ///< parallel to the contexts
  /// By priority (4a): one less urgent context up to its preemption point, whichever is served then; and the context for
  /// which that takes longest.
  ContextWait blocking;
  std::optional<std::size_t> blocked_by = {};
  std::int64_t steps = 0;  ///< taken to find it
};

/// Maximum number of slots of `other` that pass before `turns` turns of `self`, from any position in the runlist. The
/// runlist has a round for each priority, which contains the contexts of at least that priority in order: A B C A B A.
/// Nothing states whether a slice that renews itself takes the next slot of its context. So any gap between two slots of
/// `self` may precede each turn.
std::int64_t slots_before(const std::vector<SharingContext>& contexts, std::size_t self, std::size_t other,
                          std::int64_t turns);

/// Equation (4) with (5). `contexts` are in the order of the runlist; the group belongs to `self`. Always finite:
/// without demands it is the bound by slots. By priority (4a), times of 2^61 ps or more mean that there is no bound.
GroupBound group_bound(const OperationGroup& group, const std::vector<SharingContext>& contexts, std::size_t self,
                       Duration context_switch, bool by_priority = false);

// ---- tasks

/// A copy or kernel of a GPU segment.
struct GpuOperation {
  StreamOperationKind kind = StreamOperationKind::kernel;
  Duration best;  ///< best <= worst; both without slowdown
  Duration worst;
  Duration longest_block;                     ///< for a kernel, maximum; zero: the kernel may be one block
  double memory_share = 1;                    ///< 0 ... 1, for a kernel (N21)
  Slowdown by_cpu{};                          ///< by any CPU traffic
  Slowdown always{};                          ///< by constant CPU traffic, that of no task
  const gpu::KernelMemory* memory = nullptr;  ///< for a kernel, if known
  // For a kernel in a context that several tasks use:
  std::int64_t blocks = 1;
  std::optional<gpu::SmUse> use = {};  ///< of each block; nothing: one block that occupies the whole execution engine
  std::string cache_config = {};       ///< (N8)
  std::int64_t sms = 0;                ///< number of SMs that its blocks may use; 0: all
  bool has_warps = false;              ///< blocks of other kernels on its SMs do not slow it down
  /// What it may lose to rounding where something slows it down.
  Duration rounding = {};
  std::size_t kernel = 0;  ///< index into SharedGpu::overtaking or SharedContext::sharing
};
struct GpuSegment {
  std::vector<GpuOperation> operations;
  std::optional<std::size_t> stream = {};  ///< index into TimeSliceProblem::streams; nothing: in a context of the task
};
struct CpuSegment {
  Duration best;
  Duration worst;
  bool beside = false;  ///< executes while the next GPU segment may already be at work
};
/// A job waits for a GPU segment of another task, whose host its task is (10).
struct WaitSegment {
  std::size_t task = 0;
  std::size_t segment = 0;       ///< index among the GPU segments of that task
  std::size_t from = 0, to = 0;  ///< its trigger and the wait, in the order of the job's steps
  Duration before, after;        ///< minimum execution of the job before the trigger, and after the wait
};
using Segment = std::variant<CpuSegment, GpuSegment, WaitSegment>;

/// How a job waits for its GPU segments.
enum class WaitMode : std::uint8_t { busy, suspend };
std::string_view name_of(WaitMode mode);  ///< "busy", "suspend"

struct GpuTask {
  std::string name;
  std::size_t core = 0;
  std::int64_t priority = 0;  ///< larger is more urgent
  Duration period;            ///< > 0; the minimum inter-arrival time
  Duration jitter;            ///< releases are delayed by up to this after instants at least a period apart (7a)
  Duration deadline;          ///< > 0, relative to the release
  WaitMode wait = WaitMode::busy;
  bool also_suspends = false;                         ///< it polls in some waits, and suspends in others
  Duration slice = Context{}.slice;                   ///< > 0, of its own context
  ContextPriority gpu_priority = Context{}.priority;  ///< of its own context
  std::vector<Segment> segments;
  /// Its releases and its execution on the core are unknown; only the slice and the operations of its context are
  /// known. It has no bound, and neither has any task that it can delay on its core.
  bool unlimited = false;
  /// Another analysis bounds its response: it is alone on its core here, and this is its response.
  std::optional<std::optional<Duration>> elsewhere = {};
  /// For each GPU (nothing: zero): maximum time of a job's label accesses in memory that the GPU also uses, and the
  /// part of it that the task executes beside its own GPU segments.
  std::vector<Duration> accesses, accesses_beside;
  /// The task whose jobs trigger each of its GPU segments and wait for it (10). It has no CPU segments, and only its GPU
  /// segments have bounds.
  std::optional<std::size_t> host = {};
  /// B and its parts: the longest section of `by`, a lower-priority task, that this task cannot preempt.
  struct Blocking {
    std::size_t by = 0;
    Duration time;
  };
  std::vector<Blocking> blocking;
};

/// The waits of a job for segments of other tasks.
std::vector<WaitSegment> waits_of(const GpuTask& task);
/// Which of these waits, in the order of the steps, do not overlap and take longest together (10); `times` is parallel
/// to them.
std::vector<std::size_t> longest_waits(const std::vector<WaitSegment>& waits, const std::vector<Duration>& times);

struct SharedGpu {
  Preemption preemption = Preemption::instruction;
  Duration context_switch;
  gpu::InterferenceTable interference;
  int copy_engines = 1;  ///< with two, copies from the device have their own
  gpu::SmLimits limits;
  ContentionLaw contention = {};  ///< of kernels that run beside each other; its table is `interference`
  bool by_priority = false;       ///< it serves the most urgent context; then each context has one task
  /// On an AMD GPU, where kernels may overtake: the ways to bound them, instead of those of streams.hpp. It has one
  /// context, with the streams of all processes.
  std::vector<gpu::KernelDelays> overtaking = {};
};
struct SharedContext {
  std::size_t gpu = 0;
  Duration slice = Context{}.slice;  ///< > 0
  ContextPriority priority = Context{}.priority;
  std::int64_t urgency = 0;  ///< larger is more urgent
  /// If warps of its kernels share SMs: what they cost each other (12), in some ways, instead of (9). The worst time of
  /// a kernel is then its own in the first way.
  std::vector<gpu::KernelDelays> sharing = {};
};
struct SharedStream {
  std::size_t context = 0;
  StreamPriority priority = StreamPriority::low;
  bool overlapping = false;  ///< it stands for all streams of a process with a NULL stream (11)
};

/// The contexts of a runlist are `contexts` in their order, then those that tasks have of their own, on the first GPU.
struct TimeSliceProblem {
  std::vector<SharedGpu> gpus = std::vector<SharedGpu>(1);
  std::vector<SharedContext> contexts;
  std::vector<SharedStream> streams;
  std::vector<std::string> cores;
  std::vector<GpuTask> tasks;
  /// Label accesses of tasks that are not among `tasks`: jitter includes the response bound.
  struct OtherAccesses {
    std::string name;
    CpuDemand demand;
    std::size_t gpu = 0;  ///< that they slow down
  };
  std::vector<OtherAccesses> other_accesses = {};
  StepCount taken = {};  ///< by the analysis
};

/// Times of a problem stay below this (a thousand seconds), so that no sum overflows.
inline constexpr Duration longest_analyzed = Duration::seconds(1000);

enum class BoundPart : std::uint8_t {
  execution,  ///< own CPU segments
  gpu,        ///< own copies and kernels, without slowdown
  // own copies and kernels, and those of others in the context for which they wait, slowed down:
  slowed_by_copies,   ///< by copies of `by`
  slowed_by_kernels,  ///< by kernels of `by`
  slowed_by_cpu,  ///< by label accesses of `by`, an index into the tasks or, from their number on, the other accesses
  own_switches,   ///< switches of an engine to the task's context
  preemption,     ///< the core executes `by`; including what it polls for: its own copies, kernels and switches
  blocking,       ///< a section of `by`, which has a lower priority and cannot be preempted
  slices,         ///< an engine serves `by` while the task, or a polling task that precedes it, waits for that engine
  overruns,       ///< ... beyond its slice, up to a preemption point
  switches,       ///< ... the switch to it
  streams,        ///< the engine executes operations of `by` in other streams of the context, or in the same one
};
std::string_view name_of(BoundPart part);  ///< for the three kinds of slowdown "slowdown"

struct BoundShare {
  BoundPart part = BoundPart::execution;
  std::optional<std::size_t> by;  ///< index into the tasks; for a context or stream the first that uses it
  Duration time;                  ///< > 0
  /// for what an engine serves, and copies and kernels that slow down: index into the streams; of a context the first
  /// one. Own contexts of tasks follow.
  std::optional<std::size_t> stream = {};
};

struct TaskBound {
  std::optional<Duration> response;  ///< nothing: there is no bound
  Duration best;                     ///< lower bound
  bool in_time = false;              ///< response <= deadline
  std::string reason;                ///< why not, a sentence; "" when in time
  /// upper bound for each GPU segment, from submission to end; always finite
  std::vector<Duration> gpu_segments;
  std::vector<std::size_t> awaited;  ///< tasks whose segments are among the parts of the response (10)
  std::vector<BoundShare> parts;     ///< their sum is the response; in the order of BoundPart, then of tasks
  /// parallel to gpu_segments; the sum of each is that segment
  std::vector<std::vector<BoundShare>> segment_parts;
  std::vector<std::vector<Duration>> operations;  ///< for each GPU segment: upper bound for each operation
};

struct TimeSliceBounds {
  std::vector<TaskBound> tasks;  ///< parallel to TimeSliceProblem::tasks
  /// parallel to cores: executed and, for polling tasks, undisturbed GPU time
  std::vector<double> core_demand;
  double copy_demand = 0;       ///< of the first GPU's copy engine, undisturbed work per time
  double execution_demand = 0;  ///< of its execution engine
};

/// The error names what is out of range: a period or slice of zero, best above worst, an unknown core, a slowdown below
/// 1, an operation that takes no time, a time of longest_analyzed or more.
tl::expected<TimeSliceBounds, std::string> time_slice_bounds(const TimeSliceProblem& problem);

/// docs/reference/gpu.md describes the format.
tl::expected<TimeSliceProblem, TextError> parse_time_slice_problem(std::string_view json);

}  // namespace amalthea::engine::nvidia
