// Runs the threads of a block one at a time, each until it ends or waits for other threads. A fibre runs one thread after the
// other. When a thread waits, the fibre is suspended, and another fibre runs the next threads. So a kernel without barriers needs
// only one fibre.
//
// Results must not depend on the order in which threads and blocks run. VIERBEIN_EMULATOR_ORDER selects the order: `forward`,
// `reverse` or `random`. A random order changes with each block and at each barrier. Its generator starts from
// the same seed at each launch, so failures are reproducible.

#include "block.h"
#include "fibre.h"
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

using emulator::Hooks;
using emulator::Index;
using emulator::Kernel;

namespace {

enum Waits { NotBegun, Runs, Ready, AtBarrier, AtExchange, Ended };

struct Thread {
    Waits waits;
    Index index;
    Fibre *fibre;
    int line;
    // The arguments and results of an exchange between the lanes of a warp:
    unsigned mask, source, votes;
    unsigned long long value, result;
};

// The lanes of a warp that wait in an exchange. `mask` and `line` are those of the lane that came first. `mixed` is set if another
// lane has come with a different mask or line.
struct Warp {
    unsigned waiting, mask;
    int line;
    bool mixed;
};

enum Order { Forward, Reverse, Random };

Order order() {
    const char *name = getenv("VIERBEIN_EMULATOR_ORDER");
    return !name ? Forward : !strcmp(name, "reverse") ? Reverse : !strcmp(name, "random") ? Random : Forward;
}

// The state of the current launch of a kernel. Only one launch runs at a time.
struct Launch {
    const Kernel *kernel;
    void **parameters;
    Order order;
    uint64_t random;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::vector<unsigned> turns; // the order in which threads run
    size_t begun;                // number of threads in `turns` that have started
    unsigned current;            // the running thread
    Fibre *running;
    Failure failure;
} launch;

Fibre scheduler;
std::vector<Fibre *> fibres, idle;

// Returns the next pseudorandom number of an Xorshift generator (Marsaglia 2003). The numbers need not be of good quality.
uint64_t chance() {
    launch.random ^= launch.random << 13;
    launch.random ^= launch.random >> 7;
    launch.random ^= launch.random << 17;
    return launch.random;
}

void shuffle(std::vector<unsigned> &turns) {
    for (size_t i = turns.size(); i > 1; i--) std::swap(turns[i - 1], turns[chance() % i]);
}

void go_on_with(Fibre *fibre) {
    launch.running = fibre;
    fibre_switch(&scheduler, fibre);
}

void make_current(unsigned thread) {
    launch.current = thread;
    *launch.kernel->thread_index = launch.threads[thread].index;
}

// The function that each fibre executes: runs threads until all threads of the block have started.
void work() {
    while (true) {
        while (launch.begun < launch.turns.size()) {
            make_current(launch.turns[launch.begun++]);
            launch.threads[launch.current].waits = Runs;
            launch.kernel->thread(launch.parameters);
            launch.threads[launch.current].waits = Ended;
        }
        idle.push_back(launch.running);
        fibre_switch(launch.running, &scheduler);
    }
}

void wait(Waits what, int line) {
    Thread &thread = launch.threads[launch.current];
    thread.waits = what;
    thread.line = line;
    thread.fibre = launch.running;
    fibre_switch(launch.running, &scheduler);
}

std::string described(const Thread &thread) {
    std::string index = std::to_string(thread.index.x) + ", " + std::to_string(thread.index.y) + ", " + std::to_string(thread.index.z);
    const char *const states[] = {"", "", "", " that waits for the block at line ", " that waits for lanes at line ", " that has ended"};
    bool waits = thread.waits == AtBarrier || thread.waits == AtExchange;
    return "thread (" + index + ")" + states[thread.waits] + (waits ? std::to_string(thread.line) : "");
}

void fail(int error, const char *message) {
    const Index block = *launch.kernel->block_index;
    launch.failure = {error, std::string(message) + " in " + described(launch.threads[launch.current]) + " of block (" +
                                 std::to_string(block.x) + ", " + std::to_string(block.y) + ", " + std::to_string(block.z) + ")"};
    // The fibre is never resumed at this point: after a failure, `run_grid` restarts all fibres from the beginning.
    fibre_switch(launch.running, &scheduler);
    abort();
}

void barrier(int line) { wait(AtBarrier, line); }

unsigned long long exchange(unsigned mask, unsigned long long value, unsigned source, unsigned *votes, int line) {
    const unsigned first = launch.current / 32 * 32, own = launch.current % 32;
    Thread *lanes = &launch.threads[first];
    const unsigned there = std::min<size_t>(32, launch.threads.size() - first);
    // As on a GPU, the mask of an incomplete warp may contain lanes that do not exist.
    if (there < 32) mask &= (1u << there) - 1;
    if (!(mask >> own & 1)) fail(719, "the mask excludes the calling lane");
    if (source >= there || !(mask >> source & 1)) fail(719, "a lane asks for the value of one that is not in the mask");
    Thread &thread = lanes[own];
    thread.value = value;
    thread.source = source;
    thread.mask = mask;
    thread.line = line;
    thread.waits = AtExchange;
    Warp &warp = launch.warps[first / 32];
    if (!warp.waiting) warp = {0, mask, line, false};
    warp.waiting |= 1u << own;
    warp.mixed |= warp.mask != mask || warp.line != line;
    // Most exchanges have one mask and one line. Only in others, each lane compares its own with those of all lanes that wait.
    for (unsigned lane = 0; warp.mixed && lane < there; lane++)
        if ((mask & warp.waiting) >> lane & 1 && (lanes[lane].mask != mask || lanes[lane].line != line))
            fail(719, ("lanes meet with different masks or at different lines, and " + described(lanes[lane])).c_str());
    if ((mask & ~warp.waiting) == 0) {
        warp.waiting &= ~mask;
        unsigned ballot = 0;
        for (unsigned lane = 0; lane < there; lane++)
            if (mask >> lane & 1) ballot |= (unsigned)(lanes[lane].value & 1) << lane;
        for (unsigned lane = 0; lane < there; lane++) {
            if (!(mask >> lane & 1)) continue;
            lanes[lane].result = lanes[lanes[lane].source].value;
            lanes[lane].votes = ballot;
            lanes[lane].waits = Ready;
        }
    } else {
        wait(AtExchange, line);
    }
    *votes = thread.votes;
    return thread.result;
}

const Hooks hooks = {barrier, exchange, fail};

// Called when each thread has ended or waits. If all waiting threads are at the same barrier, releases them and returns `true`. If
// they wait for different things, sets the error of the launch. Returns `false` for an error, or if no thread waits.
bool release() {
    const Thread *first = nullptr;
    for (const Thread &thread : launch.threads) {
        if (thread.waits == Ended) continue;
        if (!first) first = &thread;
        if (thread.waits == AtExchange)
            launch.failure.message = "lanes do not come (they may have ended): " + described(thread);
        else if (first->waits != thread.waits || first->line != thread.line)
            launch.failure.message = "threads wait for different things: " + described(*first) + ", and " + described(thread);
        else continue;
        launch.failure.error = 719;
        return false;
    }
    for (Thread &thread : launch.threads)
        if (thread.waits == AtBarrier) thread.waits = Ready;
    if (launch.order == Random) shuffle(launch.turns);
    return first != nullptr;
}

void run_block() {
    // Fills shared memory with bytes 0xff, which are NaN as a floating-point number and invalid as an index. This is a loop and not a call
    // of `memset`, because AddressSanitizer checks each call of `memset`, and would report the gaps between variables. The driver is compiled
    // without AddressSanitizer, so it does not check the loop.
    for (volatile char *at = launch.kernel->shared; at < launch.kernel->shared_end; at++) *at = (char)0xff;
    for (Thread &thread : launch.threads) thread.waits = NotBegun;
    for (Warp &warp : launch.warps) warp.waiting = 0;
    if (launch.order == Random) shuffle(launch.turns);
    launch.begun = 0;
    while (!launch.failure.error && launch.begun < launch.turns.size()) {
        if (idle.empty()) {
            fibres.push_back(fibre_new(work));
            idle.push_back(fibres.back());
        }
        Fibre *fibre = idle.back();
        idle.pop_back();
        go_on_with(fibre);
    }
    while (!launch.failure.error) {
        bool any = false;
        for (unsigned thread : launch.turns) {
            if (launch.failure.error || launch.threads[thread].waits != Ready) continue;
            any = true;
            make_current(thread);
            go_on_with(launch.threads[thread].fibre);
        }
        if (!any && !release()) break;
    }
}

// Handles the signals of divisions by zero and of invalid memory accesses in a kernel. Ends the launch with an error, not the
// process.
void on_signal(int signal) {
    if (signal == SIGFPE) fail(719, "an integer is divided by zero, or overflows in a division,");
    fail(700, "access to invalid memory");
}

struct Signals {
    struct sigaction before[3];
    static constexpr int numbers[3] = {SIGFPE, SIGSEGV, SIGBUS};
    int count;
    Signals() {
        // AddressSanitizer has its own handler of invalid accesses, which reports more. With it, only SIGFPE is handled here.
        const char *asan = getenv("VIERBEIN_EMULATOR_ASAN");
        count = asan && !strcmp(asan, "1") ? 1 : 3;
        struct sigaction action = {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_NODEFER;
        for (int i = 0; i < count; i++) sigaction(numbers[i], &action, &before[i]);
    }
    ~Signals() {
        for (int i = 0; i < count; i++) sigaction(numbers[i], &before[i], nullptr);
    }
};

} // namespace

Failure run_grid(const Kernel &kernel, Index grid, Index block, void **parameters) {
    launch.kernel = &kernel;
    launch.parameters = parameters;
    launch.order = order();
    launch.random = 0x9e3779b97f4a7c15;
    launch.failure = {0, ""};
    *kernel.hooks = &hooks;
    *kernel.block_size = block;
    *kernel.grid_size = grid;
    const unsigned count = block.x * block.y * block.z;
    launch.threads.assign(count, Thread());
    launch.warps.assign((count + 31) / 32, Warp());
    for (unsigned i = 0; i < count; i++) launch.threads[i].index = {i % block.x, i / block.x % block.y, i / block.x / block.y};
    launch.turns.resize(count);
    std::iota(launch.turns.begin(), launch.turns.end(), 0);
    if (launch.order == Reverse) std::reverse(launch.turns.begin(), launch.turns.end());

    Signals signals;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    // Starts with block `at` and advances by `step` blocks. If `step` is coprime to the number of blocks, each block runs once.
    uint64_t step = 1, at = 0;
    if (launch.order == Random && blocks > 1)
        for (step = chance() % blocks; std::gcd(step, blocks) != 1;) step = chance() % blocks;
    if (launch.order == Reverse) step = blocks - 1, at = blocks - 1;
    for (uint64_t i = 0; i < blocks && !launch.failure.error; i++) {
        *kernel.block_index = {(unsigned)(at % grid.x), (unsigned)(at / grid.x % grid.y), (unsigned)(at / grid.x / grid.y)};
        run_block();
        at = (uint64_t)(((unsigned __int128)at + step) % blocks);
    }
    if (launch.failure.error) {
        idle = fibres;
        for (Fibre *fibre : fibres) fibre_restart(fibre, work);
    }
    return launch.failure;
}
