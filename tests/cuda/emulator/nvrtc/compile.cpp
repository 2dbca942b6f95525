#include "compile.h"
#include "../cache.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>

extern char **environ;

namespace {

std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Returns the directory of this library. It also contains the headers with which kernels are compiled.
std::string home() {
    Dl_info info;
    dladdr((void *)&compile, &info);
    std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/'));
}

// Returns, as C++ text, the maximum number of threads per block of the kernel in `source`: the argument of its `__launch_bounds__`, or 1024
// if it has none.
std::string bound(const std::string &source) {
    const std::string name = "__launch_bounds__(";
    size_t entry = source.rfind(" entry(");
    size_t from = entry == std::string::npos ? entry : source.rfind(name, entry);
    if (from == std::string::npos || from < source.rfind("__global__", entry)) return "1024";
    from += name.size();
    int depth = 1;
    size_t to = from;
    while (to < source.size() && (depth += (source[to] == '(') - (source[to] == ')')) > 0) to++;
    return source.substr(from, to - from);
}

std::string assemble(const std::string &source) {
    const std::string kernel = home() + "/kernel/";
    std::string text;
    for (const char *part : {"hooks.h", "shim.h", "maths.h", "intrinsics.h"}) text += read(kernel + part);
    text += "\n#line 1 \"kernel\"\n" + source;
    text += "\n#line 1 \"trampoline\"\n#define EMULATOR_BOUND " + bound(source) + "\n" + read(kernel + "trampoline.h");
    return text;
}

std::vector<std::string> command(const std::vector<std::string> &options) {
    bool fused = true;
    for (const std::string &option : options)
        if (option == "--fmad=false" || option == "-fmad=false") fused = false;
    // Static variables of templates must belong to the object, so `-fno-gnu-unique` is set. The section .bss of the object must
    // contain only shared memory, so `-nostdlib` leaves out the compiler's start files (except under AddressSanitizer). The
    // checks of `-fsanitize=alignment` call a function in `trampoline.h`.
    std::vector<std::string> words = {variable("CXX", "c++"), "-std=c++17", "-O1", "-pipe", "-shared", "-fPIC", "-w",
                                      "-fno-gnu-unique", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fwrapv",
                                      "-fno-math-errno", "-fno-strict-aliasing", "-Wl,-Bsymbolic"};
    words.push_back(fused ? "-ffp-contract=fast" : "-ffp-contract=off");
#ifdef __x86_64__
    if (fused && __builtin_cpu_supports("fma")) words.push_back("-mfma");
#endif
    if (variable("VIERBEIN_EMULATOR_ASAN", "0") == "1") {
        words.insert(words.end(), {"-fsanitize=address,alignment", "-g1"});
    } else {
        words.insert(words.end(), {"-fsanitize=alignment", "-s", "-nostdlib"});
    }
    return words;
}

std::string joined(const std::vector<std::string> &words) {
    std::string line;
    for (const std::string &word : words) line += word + " ";
    return line;
}

bool run(const std::vector<std::string> &words, const std::string &log) {
    std::vector<char *> arguments;
    for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    // Removes LD_PRELOAD from the compiler's environment, because the preloaded libraries are meant for this process.
    std::vector<char *> environment;
    for (char **entry = environ; *entry; entry++)
        if (std::string(*entry).rfind("LD_PRELOAD=", 0) != 0) environment.push_back(*entry);
    environment.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t child;
    int status = -1;
    bool started = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environment.data()) == 0;
    posix_spawn_file_actions_destroy(&files);
    if (!started) return write(log, "there is no C++ compiler: " + words[0]), false;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

// If VIERBEIN_EMULATOR_SOURCES names a directory, writes the source to a file there, with its options in the first line.
static void keep(const std::string &source, const std::vector<std::string> &options) {
    std::string folder = variable("VIERBEIN_EMULATOR_SOURCES", "");
    if (folder.empty()) return;
    mkdir(folder.c_str(), 0700);
    write(folder + "/" + hash(source) + ".cu", "// options: " + joined(options) + "\n" + source);
}

std::string compiled_with() { return hash(joined(command({})) + assemble("")); }

Compiled compile(const std::string &source, const std::vector<std::string> &options) {
    std::vector<std::string> words = command(options);
    std::string text = assemble(source), stem = cache() + "/" + hash(joined(words) + text), object = stem + ".so";
    if (exists(object)) return keep(source, options), Compiled{true, object, ""};

    // Several threads and processes may compile the same kernel. Each uses temporary files of its own. The object that is finished
    // last replaces the others.
    std::string own = draft(stem), made = own + ".so", log = own + ".log", file = own + ".cpp";
    if (!write(file, text)) return {false, "", "cannot write " + file};
    words.insert(words.end(), {"-o", made, file});
    if (words[words.size() - 4] == "-nostdlib") words.insert(words.end(), {"-lm", "-lc", "-lgcc"});
    bool ok = run(words, log);
    std::string said = read(log);
    unlink(log.c_str());
    unlink(file.c_str());
    if (!ok) return {false, "", said};
    keep(source, options);
    rename(made.c_str(), object.c_str());
    return {true, object, said};
}
