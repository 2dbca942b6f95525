#![no_main]

use std::sync::Once;
use vierbein_fuzz::api;

static HOOK: Once = Once::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The fuzzer's own hook ends the process at any panic, but some panics are allowed.
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
