//! The CUDA device against the host's: the same operands, the same results. On a GPU, or on the emulator that
//! `scripts/build-cuda-emulator.sh` builds; without either the tests say so and pass, unless `VIERBEIN_REQUIRE_GPU` is `1`.

#![cfg(feature = "cuda")]

#[path = "cuda/reductions.rs"]
mod reductions;

use vierbein::Cuda;

/// The device, or nothing where there is none.
fn device() -> Option<Cuda> {
    match Cuda::new() {
        Ok(device) => Some(device),
        Err(error) if std::env::var("VIERBEIN_REQUIRE_GPU").as_deref() == Ok("1") => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}
