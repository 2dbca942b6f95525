//! CUDA's own clock: events on the null stream, on which this crate queues its work.

use cudarc::driver::{result, sys};
use std::error::Error;
use vierbein::Cuda;

/// Two events.
pub(crate) struct Clock {
    events: [sys::CUevent; 2],
}

impl Clock {
    pub(crate) fn new() -> Result<Clock, Box<dyn Error>> {
        // Makes the GPU's context this thread's.
        Cuda::<0>::new()?.synchronize()?;
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Clock { events: [event()?, event()?] })
    }

    /// How long `calls` calls take on the GPU, in seconds.
    pub(crate) fn seconds(&self, calls: usize, run: &mut impl FnMut()) -> Result<f64, Box<dyn Error>> {
        let [start, end] = self.events;
        let record = |event| {
            // SAFETY: the events are alive, and the null stream always is.
            unsafe { result::event::record(event, result::stream::null()) }
        };
        record(start)?;
        for _ in 0..calls {
            run();
        }
        record(end)?;
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(end) }?;
        // SAFETY: both have been recorded.
        let milliseconds = unsafe { result::event::elapsed(start, end) }?;
        // The clock's resolution is half a microsecond; nothing is shorter than nothing.
        Ok(f64::from(milliseconds).max(1e-4) * 1e-3)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        for event in self.events {
            // SAFETY: made above, and not used after this.
            let _ = unsafe { result::event::destroy(event) };
        }
    }
}
