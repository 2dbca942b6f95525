//! For test programs that start themselves again as a child process.

use std::process::Command;

/// Returns the command that starts this test program. If the program is for another processor or system, `VIERBEIN_TEST_RUNNER`
/// must contain the emulator that runs it: a program and its arguments, separated by spaces.
pub(crate) fn this_program() -> Command {
    let this = std::env::current_exe().expect("a test is a program");
    let runner = std::env::var("VIERBEIN_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(program) = words.next() else { return Command::new(this) };
    let mut command = Command::new(program);
    command.args(words).arg(this);
    command
}
