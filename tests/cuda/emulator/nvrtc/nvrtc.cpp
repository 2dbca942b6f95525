// The emulator's library `libnvrtc.so.13`. It implements the functions of NVRTC that the crate calls.
#include "compile.h"
#include <cstring>
#include <fstream>
#include <sstream>

enum Result {
    SUCCESS = 0,
    INVALID_INPUT = 3,
    INVALID_PROGRAM = 4,
    INVALID_OPTION = 5,
    COMPILATION = 6,
    NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NAME_EXPRESSION_NOT_VALID = 10,
};

struct Program {
    std::string source, log, object, ptx;
};

static const int ARCHITECTURES[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

// Returns whether an option is accepted. The list contains the options of the real NVRTC that the crate may use. Any other option is
// an error.
static bool known(const std::string &option) {
    for (const char *prefix :
         {"--gpu-architecture=", "-arch=", "--std=", "-std=", "--fmad=", "-fmad=", "--device-int128", "-device-int128",
          "--device-as-default-execution-space", "-default-device", "--prec-div=", "--prec-sqrt=", "--ftz=", "--minimal",
          "--generate-line-info", "-lineinfo", "--define-macro=", "-D", "--maxrregcount=", "--split-compile=",
          "--extra-device-vectorization", "--restrict", "--use_fast_math"})
        if (option.rfind(prefix, 0) == 0) return true;
    return false;
}

static bool known_architecture(const std::string &option) {
    size_t equals = option.find('=');
    if (option.rfind("--gpu-architecture", 0) != 0 && option.rfind("-arch", 0) != 0) return true;
    std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    for (int architecture : ARCHITECTURES) {
        std::string number = std::to_string(architecture);
        for (const char *kind : {"sm_", "compute_"})
            for (const char *suffix : {"", "a", "f"})
                if (value == kind + number + suffix) return true;
    }
    return false;
}

extern "C" {

Result nvrtcVersion(int *major, int *minor) {
    // The crate's cache of compiled kernels depends on this version. The minor version is larger than that of any real NVRTC, and
    // changes if anything changes that compiled objects depend on.
    *major = 13;
    *minor = 1000 + (int)(std::stoul(compiled_with().substr(0, 8), nullptr, 16) % 1000000);
    return SUCCESS;
}

const char *nvrtcGetErrorString(Result result) {
    switch (result) {
    case SUCCESS: return "NVRTC_SUCCESS";
    case INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
    case INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
    case INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case COMPILATION: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR unknown";
    }
}

Result nvrtcGetNumSupportedArchs(int *count) {
    *count = sizeof ARCHITECTURES / sizeof *ARCHITECTURES;
    return SUCCESS;
}

Result nvrtcGetSupportedArchs(int *to) {
    memcpy(to, ARCHITECTURES, sizeof ARCHITECTURES);
    return SUCCESS;
}

Result nvrtcCreateProgram(Program **program, const char *source, const char *, int headers, const char *const *, const char *const *) {
    if (!program || !source || headers) return INVALID_INPUT;
    *program = new Program{source, "", "", ""};
    return SUCCESS;
}

Result nvrtcDestroyProgram(Program **program) {
    if (!program || !*program) return INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return SUCCESS;
}

Result nvrtcCompileProgram(Program *program, int count, const char *const *options) {
    if (!program) return INVALID_PROGRAM;
    std::vector<std::string> words(options, options + count);
    for (const std::string &word : words) {
        if (!known(word)) program->log = "nvrtc: error: unrecognized option " + word + " found\n";
        else if (!known_architecture(word)) program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
        else continue;
        return INVALID_OPTION;
    }
    Compiled compiled = compile(program->source, words);
    program->log = compiled.log;
    if (!compiled.ok) return COMPILATION;
    std::ifstream file(compiled.path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    program->object = bytes.str();
    // The emulated PTX is a text with the path of the object, which the emulated driver opens.
    program->ptx = "// emulated PTX\n" + compiled.path + "\n";
    return SUCCESS;
}

static Result size(Program *program, const std::string &of, size_t extra, size_t *to) {
    if (!program) return INVALID_PROGRAM;
    *to = of.size() + extra;
    return SUCCESS;
}

static Result copy(Program *program, const std::string &of, size_t extra, char *to) {
    if (!program) return INVALID_PROGRAM;
    memcpy(to, of.c_str(), of.size() + extra);
    return SUCCESS;
}

Result nvrtcGetCUBINSize(Program *program, size_t *to) { return size(program, program->object, 0, to); }
Result nvrtcGetCUBIN(Program *program, char *to) { return copy(program, program->object, 0, to); }
Result nvrtcGetPTXSize(Program *program, size_t *to) { return size(program, program->ptx, 1, to); }
Result nvrtcGetPTX(Program *program, char *to) { return copy(program, program->ptx, 1, to); }
Result nvrtcGetProgramLogSize(Program *program, size_t *to) { return size(program, program->log, 1, to); }
Result nvrtcGetProgramLog(Program *program, char *to) { return copy(program, program->log, 1, to); }

// Kernels are `extern "C"`, so their names are not mangled.
Result nvrtcAddNameExpression(Program *program, const char *) { return program ? SUCCESS : INVALID_PROGRAM; }
Result nvrtcGetLoweredName(Program *program, const char *name, const char **lowered) {
    if (!program) return INVALID_PROGRAM;
    if (program->object.empty()) return NO_LOWERED_NAMES_BEFORE_COMPILATION;
    if (strcmp(name, "entry") != 0) return NAME_EXPRESSION_NOT_VALID;
    *lowered = "entry";
    return SUCCESS;
}

} // extern "C"
