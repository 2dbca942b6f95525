//! Measures times with CUDA events on the null stream, on which vierbein queues its work.

use cudarc::driver::{result, sys};
use std::error::Error;
use vierbein::Cuda;

/// A pair of CUDA events, recorded before and after the timed calls.
pub(crate) struct Clock {
    events: [sys::CUevent; 2],
}

impl Clock {
    pub(crate) fn new() -> Result<Clock, Box<dyn Error>> {
        // Makes the GPU's context current in this thread.
        Cuda::<0>::new()?.synchronize()?;
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Clock { events: [event()?, event()?] })
    }

    /// Calls `run` `calls` times, and returns the time in seconds until the GPU has done the queued work.
    pub(crate) fn seconds(&self, calls: usize, run: &mut impl FnMut()) -> Result<f64, Box<dyn Error>> {
        let [start, end] = self.events;
        let record = |event| {
            // SAFETY: `new` created the event, and only `drop` destroys it; the null stream always exists.
            unsafe { result::event::record(event, result::stream::null()) }
        };
        record(start)?;
        for _ in 0..calls {
            run();
        }
        record(end)?;
        // SAFETY: `new` created the event, and only `drop` destroys it.
        unsafe { result::event::synchronize(end) }?;
        // SAFETY: only `drop` destroys the events. Both were recorded on the null stream, in this order. The wait for the second
        // has returned, so both have completed.
        let milliseconds = unsafe { result::event::elapsed(start, end) }?;
        // Events have a resolution of half a microsecond. The minimum avoids a division by zero.
        Ok(f64::from(milliseconds).max(1e-4) * 1e-3)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        for event in self.events {
            // SAFETY: `new` created the event, and it is not used after this.
            let _ = unsafe { result::event::destroy(event) };
        }
    }
}
