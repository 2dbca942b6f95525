#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vierbein_fuzz::csv(bytes));
