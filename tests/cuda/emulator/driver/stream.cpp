// Streams and events. Work is executed immediately, so functions that wait for work return at once.

#include "state.h"
#include <chrono>
#include <set>

namespace {

struct Event {
    std::chrono::steady_clock::time_point at;
    bool recorded;
};
std::set<Stream> streams;
std::set<Event *> events;

bool is_event(Event *event) {
    Locked locked(lock);
    return events.count(event) != 0;
}

} // namespace

bool is_stream(Stream stream) {
    Locked locked(lock);
    // The handles 0, 1 and 2 all denote a default stream.
    return (uintptr_t)stream <= 2 || streams.count(stream);
}

#define NEEDS_EVENT(event) \
    if (!is_event(event)) return wrong(INVALID_HANDLE, "%s: there is no such event", __func__)

extern "C" {

Status cuStreamCreate(Stream *stream, unsigned) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    streams.insert(*stream = new char);
    return SUCCESS;
}
Status cuStreamCreateWithPriority(Stream *stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }

Status cuStreamDestroy_v2(Stream stream) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    if (!streams.erase(stream)) return wrong(INVALID_HANDLE, "%s: there is no such stream", __func__);
    delete (char *)stream;
    return SUCCESS;
}

Status cuStreamSynchronize(Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return SUCCESS;
}
Status cuStreamQuery(Stream stream) { return cuStreamSynchronize(stream); }

Status cuStreamIsCapturing(Stream stream, int *status) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    *status = 0;
    return SUCCESS;
}

Status cuStreamWaitEvent(Stream stream, Event *event, unsigned) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    NEEDS_EVENT(event);
    return SUCCESS;
}

Status cuLaunchHostFunc(Stream stream, void (*function)(void *), void *data) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    function(data);
    return SUCCESS;
}

Status cuEventCreate(Event **event, unsigned) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    events.insert(*event = new Event());
    return SUCCESS;
}

Status cuEventDestroy_v2(Event *event) {
    Locked locked(lock);
    NEEDS_EVENT(event);
    events.erase(event);
    delete event;
    return SUCCESS;
}

Status cuEventRecord(Event *event, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    NEEDS_EVENT(event);
    *event = {std::chrono::steady_clock::now(), true};
    return SUCCESS;
}

Status cuEventSynchronize(Event *event) {
    NEEDS_EVENT(event);
    return SUCCESS;
}
Status cuEventQuery(Event *event) { return cuEventSynchronize(event); }

Status cuEventElapsedTime_v2(float *milliseconds, Event *from, Event *to) {
    NEEDS_EVENT(from);
    NEEDS_EVENT(to);
    if (!from->recorded || !to->recorded) return INVALID_HANDLE;
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return SUCCESS;
}
Status cuEventElapsedTime(float *milliseconds, Event *from, Event *to) { return cuEventElapsedTime_v2(milliseconds, from, to); }

} // extern "C"
