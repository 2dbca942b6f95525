#![no_main]

use std::sync::Once;
use vierbein_fuzz::api;

static HOOK: Once = Once::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The panic hook of libFuzzer ends the process. This hook calls it only for panics that are faults.
    HOOK.call_once(|| {
        let all = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !api::panic_is_allowed() {
                all(info);
            }
        }));
    });
    api::run(bytes);
});
