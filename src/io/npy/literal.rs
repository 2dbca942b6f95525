//! Parser of the Python literals that headers consist of: dictionaries, lists, tuples, strings, integers and booleans.
//!
//! The parser takes time and memory proportional to the length of the text, and recurses at most [`MAX_DEPTH`] times.

#![forbid(unsafe_code)]

use crate::io::contents::shorten;

/// Maximum nesting depth. The header of a numeric array has 2 levels; each level of nested structured types adds 2.
const MAX_DEPTH: usize = 32;

/// A value with the text that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal<'a> {
    pub(super) text: &'a str,
    pub(super) value: Value<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Bool(bool),
    Integer(u64),
    /// The text between the quotes.
    String(&'a str),
    Tuple(Vec<Literal<'a>>),
    List(Vec<Literal<'a>>),
    /// Pairs of keys and values, in the order of the text.
    Dict(Vec<(Literal<'a>, Literal<'a>)>),
}

/// The white space that Python allows between values.
const BLANKS: [char; 5] = [' ', '\t', '\n', '\r', '\x0c'];

/// Parses a text that is a single literal. Strings must not have escape sequences, and integers must not have a sign. An integer may
/// end with `L`, and a string begin with `u`, as Python 2 writes long integers and Unicode texts.
pub(super) fn parse(text: &str) -> Result<Literal<'_>, String> {
    // A text without backslashes has no escape sequences, so the next quote of the same kind ends a string.
    if let Some(c) = text.chars().find(|&c| c == '\\' || c.is_ascii_control() && !BLANKS.contains(&c)) {
        return Err(format!("has the character `{}` in its header", c.escape_default()));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let literal = parser.literal()?;
    parser.skip_blanks();
    match parser.rest() {
        "" => Ok(literal),
        rest => Err(unexpected(rest, "the header should end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Index of the next byte to read.
    at: usize,
    /// Number of brackets that are open.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches(BLANKS).len();
    }

    /// Skips blanks. If the next character is `c`, skips it too and returns `true`.
    fn skip(&mut self, c: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn literal(&mut self) -> Result<Literal<'a>, String> {
        self.skip_blanks();
        let start = self.at;
        if self.rest().starts_with(['u', 'U']) && self.rest()[1..].starts_with(['\'', '"']) {
            self.at += 1;
        }
        let value = match self.rest().chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let inner = &self.rest()[1..];
                let end = inner.find([quote, '\n', '\r']).filter(|&end| inner[end..].starts_with(quote));
                let length = end.ok_or("has a string without an end in its header")?;
                self.at += length + 2;
                Value::String(&inner[..length])
            }
            Some('(') => {
                let (items, commas) = self.items(')', Self::literal)?;
                match <[Literal<'a>; 1]>::try_from(items) {
                    // One value in parentheses, without a comma, is that value.
                    Ok([only]) if commas == 0 => only.value,
                    Ok(one) => Value::Tuple(one.into()),
                    Err(items) => Value::Tuple(items),
                }
            }
            Some('[') => Value::List(self.items(']', Self::literal)?.0),
            Some('{') => Value::Dict(self.items('}', Self::entry)?.0),
            _ => self.word()?,
        };
        Ok(Literal { text: &self.text[start..self.at], value })
    }

    /// Parses a key and its value.
    fn entry(&mut self) -> Result<(Literal<'a>, Literal<'a>), String> {
        let key = self.literal()?;
        if !self.skip(':') {
            return Err(unexpected(self.rest(), "a `:` should be"));
        }
        Ok((key, self.literal()?))
    }

    /// Parses an opening bracket, the items after it, and the bracket `close`. Also returns the number of commas.
    fn items<V>(
        &mut self,
        close: char,
        item: impl Fn(&mut Self) -> Result<V, String>,
    ) -> Result<(Vec<V>, usize), String> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("has too many brackets in its header".to_owned());
        }
        let (mut items, mut commas) = (Vec::new(), 0);
        while !self.skip(close) {
            if items.len() > commas {
                return Err(unexpected(self.rest(), &format!("a `,` or `{close}` should be")));
            }
            items.push(item(self)?);
            commas += usize::from(self.skip(','));
        }
        self.depth -= 1;
        Ok((items, commas))
    }

    /// Parses `True`, `False`, or an integer.
    fn word(&mut self) -> Result<Value<'a>, String> {
        let rest = self.rest();
        let length = rest.find(|c| "{}[](),:'\"".contains(c) || BLANKS.contains(&c)).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match word {
            "True" => Ok(Value::Bool(true)),
            "False" => Ok(Value::Bool(false)),
            "" => Err(unexpected(rest, "a value should be")),
            _ => integer(word).map(Value::Integer).ok_or_else(|| {
                format!("has `{}` in its header, where the extent of an axis should be", shorten(word))
            }),
        }
    }
}

/// Parses an integer. `str::parse` alone would accept a sign and leading zeros, which Python does not.
fn integer(word: &str) -> Option<u64> {
    let digits = word.strip_suffix('L').unwrap_or(word);
    let plain = digits == "0" || (digits.bytes().all(|c| c.is_ascii_digit()) && !digits.starts_with('0'));
    digits.parse().ok().filter(|_| plain)
}

fn unexpected(rest: &str, expected: &str) -> String {
    match rest {
        "" => format!("has a header that ends where {expected}"),
        _ => format!("has `{}` in its header, where {expected}", shorten(rest.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of Python's `ast.literal_eval`; integers that end with `L` are Python 2's.
    #[test]
    fn literals_are_what_python_reads() {
        let value = |text: &'static str| parse(text).unwrap().value;
        let integers = |n: &[(u64, &'static str)]| -> Vec<Literal<'static>> {
            n.iter().map(|&(n, text)| Literal { text, value: Value::Integer(n) }).collect()
        };
        assert_eq!(value("True"), Value::Bool(true));
        assert_eq!(value(" False  "), Value::Bool(false));
        assert_eq!(value("18446744073709551615"), Value::Integer(u64::MAX));
        assert_eq!(value("12L"), Value::Integer(12));
        assert_eq!(value("'a\"b'"), Value::String("a\"b"));
        assert_eq!(value("\"it's\""), Value::String("it's"));
        assert_eq!(value("''"), Value::String(""));
        assert_eq!((value("u'a'"), value("U\"b\"")), (Value::String("a"), Value::String("b")));
        assert_eq!(value("\n(\t7\r\n,\x0c) \n"), Value::Tuple(integers(&[(7, "7")])));
        assert_eq!(value("'a\tb'"), Value::String("a\tb"));
        assert_eq!(value("()"), Value::Tuple(vec![]));
        assert_eq!(value("(7)"), Value::Integer(7));
        assert_eq!(value("(7,)"), Value::Tuple(integers(&[(7, "7")])));
        assert_eq!(value("( 7 , 0L )"), Value::Tuple(integers(&[(7, "7"), (0, "0L")])));
        assert_eq!(value("[]"), Value::List(vec![]));
        assert_eq!(value("[7]"), Value::List(integers(&[(7, "7")])));
        assert_eq!(value("[7,8,]"), Value::List(integers(&[(7, "7"), (8, "8")])));
        assert_eq!(value("{}"), Value::Dict(vec![]));
        let literal = |text| Literal { text, value: value(text) };
        let pair = |key, of| (literal(key), literal(of));
        assert_eq!(
            value("{'a': (1, 2), \"b\":[], }"),
            Value::Dict(vec![pair("'a'", "(1, 2)"), pair("\"b\"", "[]")])
        );
        assert_eq!(parse("  [ 'é' ] ").unwrap().text, "[ 'é' ]");
    }

    /// Each of the texts below is a `SyntaxError` or a `ValueError` in Python, or a value that no header has.
    #[test]
    fn other_texts_are_errors() {
        for text in [
            "",
            " ",
            ",",
            "(",
            "(,)",
            "(1",
            "(1 2)",
            "(1,,2)",
            "(1]",
            "[1)",
            "{1}",
            "{1:}",
            "{1:2",
            "{1:2 3:4}",
            "{:1}",
            "1 2",
            "1,",
            "()()",
            "'a' 'b'",
            "01",
            "+1",
            "-1",
            "1.0",
            "1_0",
            "0x1",
            "L",
            "1LL",
            "true",
            "None",
            "18446744073709551616",
            "'a",
            "'a\\''",
            "'a\n'",
            "é",
            "u",
            "u 'a'",
            "uu'a'",
            "b'a'",
            "'a\r'",
            "1\x0b",
            "\u{a0}1",
        ] {
            let reason = parse(text).unwrap_err();
            assert!(reason.starts_with("has "), "{text}: {reason}");
        }
    }

    #[test]
    fn brackets_nest_to_a_limit() {
        for (open, close) in [("(", ",)"), ("[", "]"), ("{1:", "}")] {
            let nested = |n| open.repeat(n) + "2" + &close.repeat(n);
            assert!(parse(&nested(MAX_DEPTH)).is_ok());
            assert_eq!(parse(&nested(MAX_DEPTH + 1)).unwrap_err(), "has too many brackets in its header");
            // Closed brackets do not count towards the depth.
            assert!(parse(&format!("[{}]", "[],".repeat(5000))).is_ok());
        }
    }
}
