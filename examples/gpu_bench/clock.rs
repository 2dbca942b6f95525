//! Times with CUDA events on the null stream, where this crate queues its work.

use cudarc::driver::{result, sys};
use std::error::Error;
use vierbein::Cuda;

/// A pair of CUDA events.
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

    /// Returns the time that `calls` calls take on the GPU, in seconds.
    pub(crate) fn seconds(&self, calls: usize, run: &mut impl FnMut()) -> Result<f64, Box<dyn Error>> {
        let [start, end] = self.events;
        let record = |event| {
            // SAFETY: `self` keeps the event alive, and the null stream always exists.
            unsafe { result::event::record(event, result::stream::null()) }
        };
        record(start)?;
        for _ in 0..calls {
            run();
        }
        record(end)?;
        // SAFETY: `self` keeps the event alive.
        unsafe { result::event::synchronize(end) }?;
        // SAFETY: both events are alive, were recorded on the same stream, and have completed.
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
