//! The documentation of the two functions.

use super::attribute;
use proc_macro::TokenStream;

/// The lines of a documentation comment, by their function.
pub(super) struct Docs {
    /// The documentation of the function that panics.
    pub(super) panicking: TokenStream,
    /// The lines of the section `# Errors`, without the heading.
    errors: TokenStream,
    /// The lines of the section `# Panics`, without the heading.
    panics: TokenStream,
}

impl Docs {
    /// Sorts the lines. Returns `None` if there is no section `# Errors`.
    pub(super) fn parse(lines: &[TokenStream]) -> Option<Docs> {
        let (mut panicking, mut errors, mut panics) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut section = "";
        let mut has_errors = false;
        for line in lines {
            let text = text(line);
            match text.trim() {
                "# Errors" => {
                    (section, has_errors) = ("# Errors", true);
                    panicking.extend(attribute("doc = \" # Panics\""));
                    continue;
                }
                "# Panics" if has_errors => {
                    section = "# Panics";
                    continue;
                }
                // A section ends at the next heading and at an example.
                line if line.starts_with('#') || line.starts_with("```") => section = "",
                _ => {}
            }
            panicking.extend(line.clone());
            match section {
                "# Errors" => errors.extend(line.clone()),
                "# Panics" => panics.extend(line.clone()),
                _ => {}
            }
        }
        has_errors.then_some(Docs { panicking, errors, panics })
    }

    /// Returns the documentation of the function that returns errors. `name` is the function that panics.
    pub(super) fn fallible(&self, name: &str, free: bool) -> TokenStream {
        let path = if free { "" } else { "Self::" };
        let mut lines =
            attribute(&format!("doc = \" Fallible variant of [`{name}`]({path}{name}).\\n\\n # Errors\""));
        lines.extend(self.errors.clone());
        if !self.panics.is_empty() {
            lines.extend(attribute("doc = \"\\n # Panics\""));
            lines.extend(self.panics.clone());
        }
        lines
    }
}

/// Returns the text of `#[doc = "text"]`, or an empty string if the text is not a literal.
fn text(line: &TokenStream) -> String {
    let line = line.to_string();
    match (line.find('"'), line.rfind('"')) {
        (Some(start), Some(end)) if start < end => line[start + 1..end].to_owned(),
        _ => String::new(),
    }
}
