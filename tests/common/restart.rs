//! A test program that starts itself once more.

use std::process::Command;

/// The command that starts this test program: by the emulator in `VIERBEIN_TEST_RUNNER`, a program and its arguments with blanks
/// between them, if the kernel cannot start it.
pub(crate) fn this_program() -> Command {
    let this = std::env::current_exe().expect("a test is a program");
    let runner = std::env::var("VIERBEIN_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(program) = words.next() else { return Command::new(this) };
    let mut command = Command::new(program);
    command.args(words).arg(this);
    command
}
