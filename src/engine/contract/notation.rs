//! The notation of specifications, `"ij,jk->ik"`: tokens, terms, and messages that const functions compose. The parsers of contractions
//! (`spec.rs`) and of factorisations (`engine/factorise/spec.rs`) share this module.

use super::labels::{LABELS, Labels};
use crate::rank::MAX_RANK;

/// Largest number of axes that an ellipsis can stand for: 52 of the 64 labels are letters, so 12 labels remain.
pub(crate) const MAX_DOTS: usize = 12;
/// The value of `dots` in a [`Term`] without an ellipsis.
const NO_DOTS: u8 = u8::MAX;

/// The letter of each label. Capitals come first: labels of an implicit result are in this order, as in NumPy.
pub(super) const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const fn label_of(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        _ => None,
    }
}

/// Returns the letter of a label.
pub(crate) const fn letter_of(label: u8) -> u8 {
    LETTERS[label as usize]
}

/// A part of a specification.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token {
    /// A letter, as the number of its label.
    Label(u8),
    /// An ellipsis.
    Dots,
    /// The separator of two terms.
    Comma,
    /// `->`.
    Arrow,
    /// The end of the specification.
    End,
}

/// Characters that are not a token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NotAToken {
    /// `-` without `>`.
    Arrow,
    /// One or two dots.
    Dots,
    /// Another character.
    Label(u8),
}

/// Reads the token that begins at index `at`, or after spaces that begin there. Returns the token and the index after it.
pub(crate) const fn token(text: &[u8], mut at: usize) -> Result<(Token, usize), NotAToken> {
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    if at >= text.len() {
        return Ok((Token::End, at));
    }
    match text[at] {
        b',' => Ok((Token::Comma, at + 1)),
        b'-' if at + 1 < text.len() && text[at + 1] == b'>' => Ok((Token::Arrow, at + 2)),
        b'-' => Err(NotAToken::Arrow),
        b'.' if at + 2 < text.len() && text[at + 1] == b'.' && text[at + 2] == b'.' => {
            Ok((Token::Dots, at + 3))
        }
        b'.' => Err(NotAToken::Dots),
        character => match label_of(character) {
            Some(label) => Ok((Token::Label(label), at + 1)),
            None => Err(NotAToken::Label(character)),
        },
    }
}

/// The labels of an operand, of the result of a contraction, or of a factor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    labels: [u8; MAX_RANK],
    len: u8,
    /// The number of labels before the ellipsis, or `NO_DOTS`.
    dots: u8,
}

impl Term {
    pub(crate) const EMPTY: Term = Term { labels: [0; MAX_RANK], len: 0, dots: NO_DOTS };

    /// Appends a label. Returns `false` if there is no room for it.
    pub(crate) const fn push(&mut self, label: u8) -> bool {
        if self.len() == MAX_RANK {
            return false;
        }
        self.labels[self.len()] = label;
        self.len += 1;
        true
    }

    /// Appends an ellipsis. Returns `false` if there is one already.
    pub(crate) const fn push_dots(&mut self) -> bool {
        if self.has_dots() {
            return false;
        }
        self.dots = self.len;
        true
    }

    /// Returns the number of labels that are letters.
    pub(crate) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns entry `k` of the list of labels that are letters.
    pub(crate) const fn label(&self, k: usize) -> u8 {
        self.labels[k]
    }

    /// Returns whether there is an ellipsis.
    pub(crate) const fn has_dots(&self) -> bool {
        self.dots != NO_DOTS
    }

    /// Counts how often a label occurs.
    pub(crate) const fn count(&self, label: u8) -> usize {
        let (mut n, mut k) = (0, 0);
        while k < self.len() {
            if self.labels[k] == label {
                n += 1;
            }
            k += 1;
        }
        n
    }

    /// Returns the labels that are letters, so not those of the ellipsis.
    #[inline]
    pub(crate) fn labels(&self) -> &[u8] {
        &self.labels[..self.len as usize]
    }

    /// Returns the labels that are letters, as an owned list.
    pub(super) fn all(&self) -> Labels {
        Labels::first(self.labels, self.len as usize)
    }

    /// Returns the number of labels before the ellipsis, or `None` if there is no ellipsis.
    #[inline]
    pub(crate) fn dots(&self) -> Option<usize> {
        self.has_dots().then_some(self.dots as usize)
    }

    /// Returns the labels for a tensor of this rank, including those of the axes that the ellipsis stands for.
    ///
    /// The axes of an ellipsis have labels from 63 downwards. In row-major order, the last of these axes has label 63; in
    /// column-major order, the first. So axes of different operands that broadcast against each other have the same label.
    pub(crate) fn labels_of(&self, rank: usize, row_major: bool) -> Labels {
        let Some(at) = self.dots() else { return self.all() };
        let named = self.labels();
        let dots = rank - named.len();
        let number = |k: usize| if row_major { dots - 1 - k } else { k };
        let unnamed = (0..dots).map(|k| (LABELS - 1 - number(k)) as u8);
        named[..at].iter().copied().chain(unnamed).chain(named[at..].iter().copied()).collect()
    }
}

/// Capacity of a [`Message`] in bytes.
const MESSAGE_BYTES: usize = 512;

/// Maximum number of bytes of a specification in a message. The other half of the message is for the reason, so that no specification
/// displaces it.
const SHOWN_BYTES: usize = MESSAGE_BYTES / 2;

/// A text of limited length, which const functions can compose.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    text: [u8; MESSAGE_BYTES],
    len: usize,
}

/// Returns the longest beginning of a text that has at most `bytes` bytes.
const fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = if text.len() < bytes { text.len() } else { bytes };
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at(end).0
}

impl Message {
    /// Begins a message about the specification of this operation: the name of the operation and the specification in quotes. A long
    /// specification is cut.
    pub(crate) const fn about(operation: &str, specification: &str) -> Message {
        let shown = beginning(specification, SHOWN_BYTES);
        let dots = if shown.len() < specification.len() { ".." } else { "" };
        let message = Message { text: [0; MESSAGE_BYTES], len: 0 };
        message.text(operation).text(" \"").text(shown).text(dots).text("\": ")
    }

    pub(crate) const fn text(mut self, text: &str) -> Message {
        let mut k = 0;
        // Bytes that do not fit are dropped. `about` leaves room for every reason.
        while k < text.len() && self.len < self.text.len() {
            self.text[self.len] = text.as_bytes()[k];
            self.len += 1;
            k += 1;
        }
        self
    }

    pub(crate) const fn letter(self, letter: u8) -> Message {
        match core::str::from_utf8(&[letter]) {
            Ok(letter) => self.text("`").text(letter).text("`"),
            Err(_) => self.text("a character that is not ASCII"),
        }
    }

    pub(crate) const fn number(self, n: usize) -> Message {
        let digits = [b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
        let (_, written) = digits.split_at(if n < 10 { 1 } else { 0 });
        match core::str::from_utf8(written) {
            Ok(written) => self.text(written),
            Err(_) => self,
        }
    }

    /// Appends the reason why characters are not a token. `arrow` explains what `->` is for.
    pub(crate) const fn not_a_token(self, what: NotAToken, arrow: &str) -> Message {
        match what {
            NotAToken::Arrow => self.text(arrow),
            NotAToken::Dots => self.text("an ellipsis is three dots, `...`"),
            NotAToken::Label(c) => {
                self.letter(c).text(" is not a label; labels are the letters a to z and A to Z")
            }
        }
    }

    /// Returns the text, or a fixed text if the last character was cut off in the middle.
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.text.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "the specification is too long to be shown",
        }
    }
}

/// Returns the text for a label in error messages.
pub(super) fn letter(label: u8) -> String {
    match LETTERS.get(label as usize) {
        Some(&letter) => format!("label `{}`", letter as char),
        None => "the ellipsis".into(),
    }
}

/// Returns the character for a label in the printed steps of a contraction path: a letter, or a digit for an axis of an ellipsis. The
/// digits count from 0; the tenth axis and all further axes have the digit 9.
pub(super) fn symbol(label: u8) -> char {
    match LETTERS.get(label as usize) {
        Some(&letter) => letter as char,
        None => char::from(b'0' + (63 - label).min(9)),
    }
}
