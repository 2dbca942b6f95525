//! Texts from files in error messages.

#![forbid(unsafe_code)]

/// Shortens a text from a file for an error message and replaces control characters, which a terminal would interpret.
pub(super) fn shorten(text: &str) -> String {
    let (text, dots) = match text.char_indices().nth(100) {
        Some((end, _)) => (&text[..end], ".."),
        None => (text, ""),
    };
    let shown = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    shown.chain(dots.chars()).collect()
}
