//! Writes the tables in Markdown, with one line for each benchmark, element type and number of threads.

use crate::implementation::{Library, Role};
use crate::measure::Time;
use std::fmt::Write;

/// Threshold for the ratio of vierbein's time to that of the fastest other library. Lines with a larger ratio are listed at the
/// end.
const BEHIND: f64 = 1.05;
/// The last columns of a table have vierbein's time, divided by the best time of each of these roles. The texts are their headings.
const COMPARED: [(Role, &str); 3] =
    [(Role::Peer, "/ peer"), (Role::Limit, "/ limit"), (Role::Alternative, "/ other way")];

/// One line of a table.
pub struct Line {
    pub name: String,
    /// The element type.
    pub of: &'static str,
    pub threads: usize,
    pub times: Vec<Time>,
}

/// Returns the roles that occur in a table, and the headings of their ratios.
fn compared(columns: &[Library]) -> impl Iterator<Item = (Role, &'static str)> {
    let roles: Vec<_> = columns.iter().map(|library| library.role()).collect();
    COMPARED.into_iter().filter(move |(role, _)| roles.contains(role))
}

/// Returns the two header lines of a table.
pub fn head(columns: &[Library]) -> String {
    let mut head = format!("| {:34} | type | threads |", "row");
    let mut rule = String::from("|---|---|--:|");
    for library in columns {
        write!(head, " {:>10} |", library.name()).expect("a string grows");
        rule += "--:|";
    }
    for (_, name) in compared(columns) {
        write!(head, " {name} | by minima |").expect("a string grows");
        rule += "--:|--:|";
    }
    format!("{head}\n{rule}")
}

impl Line {
    pub fn markdown(&self, columns: &[Library]) -> String {
        let mut line = format!("| {:34} | {:4} | {:7} |", self.name, self.of, self.threads);
        for &library in columns {
            let time = self.times.iter().find(|time| time.library == library);
            write!(line, " {:>10} |", time.map_or("—".into(), |time| shown(time.median)))
                .expect("a string grows");
        }
        for (role, name) in compared(columns) {
            let width = name.chars().count();
            match self.ratios(role) {
                Some((medians, minima)) => write!(line, " {medians:width$.2} | {minima:9.2} |"),
                None => write!(line, " {:>width$} | {:>9} |", "—", "—"),
            }
            .expect("a string grows");
        }
        line
    }

    /// Returns vierbein's time divided by the shortest time among the columns with this role: the ratio of the medians, and the ratio
    /// of the minima. Returns `None` if no such column was timed.
    fn ratios(&self, role: Role) -> Option<(f64, f64)> {
        Some((self.ratio(role, |time| time.median)?, self.ratio(role, |time| time.least)?))
    }

    /// Returns whether the fastest other library is ahead by more than [`BEHIND`] for the medians.
    pub fn is_behind(&self) -> bool {
        self.ratio(Role::Peer, |time| time.median).is_some_and(|ratio| ratio > BEHIND)
    }

    fn ratio(&self, role: Role, of: impl Fn(&Time) -> f64) -> Option<f64> {
        let best = |role| {
            self.times.iter().filter(|time| time.library.role() == role).map(&of).min_by(f64::total_cmp)
        };
        Some(best(Role::Vierbein)? / best(role)?)
    }
}

/// Returns a Markdown list of those lines of the tables in which the ratio of the medians exceeds [`BEHIND`].
pub fn behind<'a>(lines: impl IntoIterator<Item = &'a Line>) -> String {
    let mut list = String::new();
    let mut count = 0;
    for line in lines.into_iter().filter(|line| line.is_behind()) {
        if let Some((medians, minima)) = line.ratios(Role::Peer) {
            count += 1;
            let Line { name, of, threads, .. } = line;
            writeln!(list, "- {name} {of} {threads}: {medians:.2}, {minima:.2}").expect("a string grows");
        }
    }
    format!(
        "vierbein is behind (more than {BEHIND} of the best peer's time) in {count} lines; by medians, by minima:\n\n{list}"
    )
}

/// Formats a time, which is given in seconds, with three digits and a unit.
fn shown(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}
