//! A test program that starts itself again.

use std::process::Command;

/// Returns the command that starts this test program. If the kernel cannot start it directly, `VIERBEIN_TEST_RUNNER` names an
/// emulator: a program and its arguments, separated by spaces.
pub(crate) fn this_program() -> Command {
    let this = std::env::current_exe().expect("a test is a program");
    let runner = std::env::var("VIERBEIN_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(program) = words.next() else { return Command::new(this) };
    let mut command = Command::new(program);
    command.args(words).arg(this);
    command
}
