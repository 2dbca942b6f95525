#include "fibre.h"
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

static const size_t PAGE = 4096, SIZE = 256 << 10;

// Defined only under AddressSanitizer, which marks parts of stack frames as inaccessible. Before a stack is used again, `forget`
// removes the marks of its abandoned frames.
extern "C" __attribute__((weak)) void __asan_unpoison_memory_region(void *, size_t);
static void forget(Fibre *fibre) {
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region((char *)fibre->stack + PAGE, SIZE - PAGE);
}

Fibre *fibre_new(void (*body)()) {
    void *memory = mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    mprotect(memory, PAGE, PROT_NONE); // a guard page: a stack overflow is an error
    Fibre *fibre = new Fibre{memory, nullptr};
    fibre_restart(fibre, body);
    return fibre;
}

#if defined(__x86_64__)

// Saves the callee-saved registers on the current stack, and restores those of the other stack.
asm(R"(
    .text
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, . - emulator_switch
)");
extern "C" __attribute__((visibility("hidden"))) void emulator_switch(void **from, void *to);

void fibre_restart(Fibre *fibre, void (*body)()) {
    forget(fibre);
    // The stack contains the values of six registers, the start address, and a return address for `body`. The calling convention
    // requires the return address at an address of the form 16 n + 8.
    void **top = (void **)((char *)fibre->stack + SIZE) - 10;
    for (int i = 0; i < 10; i++) top[i] = nullptr;
    top[6] = (void *)body;
    fibre->at = top;
}

void fibre_switch(Fibre *from, Fibre *to) { emulator_switch(&from->at, to->at); }

#else

#include <ucontext.h>

void fibre_restart(Fibre *fibre, void (*body)()) {
    forget(fibre);
    if (!fibre->at) fibre->at = new ucontext_t;
    ucontext_t *context = (ucontext_t *)fibre->at;
    getcontext(context);
    context->uc_stack.ss_sp = (char *)fibre->stack + PAGE;
    context->uc_stack.ss_size = SIZE - PAGE;
    context->uc_link = nullptr;
    makecontext(context, body, 0);
}

void fibre_switch(Fibre *from, Fibre *to) {
    if (!from->at) from->at = new ucontext_t;
    swapcontext((ucontext_t *)from->at, (ucontext_t *)to->at);
}

#endif
