// Fibres: functions with stacks of their own, which run alternately on one thread.
#pragma once

#pragma GCC visibility push(hidden)

struct Fibre {
    void *stack; // start of the stack's memory
    void *at;    // stack pointer while suspended
};

// Returns a fibre that will start with `body`, which must not return.
Fibre *fibre_new(void (*body)());
// Prepares a fibre to start `body` from the beginning. The contents of its stack are abandoned.
void fibre_restart(Fibre *fibre, void (*body)());
// Suspends `from` and resumes `to`. Returns when another call resumes `from`.
void fibre_switch(Fibre *from, Fibre *to);

#pragma GCC visibility pop
