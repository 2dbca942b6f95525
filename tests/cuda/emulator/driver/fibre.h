// Fibres: stacks that take turns on one thread.
#pragma once

#pragma GCC visibility push(hidden)

struct Fibre {
    void *stack; // where its memory begins
    void *at;    // where it stopped, when it does not run
};

// A fibre that will begin with `body`, which must not return.
Fibre *fibre_new(void (*body)());
// Lets it begin again, wherever it stopped. What its stack held is abandoned.
void fibre_restart(Fibre *fibre, void (*body)());
// Leaves `from` and goes on with `to`, until something goes on with `from`.
void fibre_switch(Fibre *from, Fibre *to);

#pragma GCC visibility pop
