//! The parser of the specification of a contraction, such as `"ij,jk->ik"`. It consists of const functions, so `einsum!` rejects an
//! invalid specification at compile time. Contractions of dynamic tensors call the parser at run time.
//!
//! The notation is NumPy's. A letter is the label of an axis. Axes with the same letter share an index, and letters that the result
//! lacks are summed over. `...` stands for axes without labels. Without `->`, the result has the ellipsis first, then the letters
//! that occur once, in alphabetical order (capitals first). Unlike in NumPy, the result may repeat a letter: `i->ii` is a diagonal
//! matrix.

use super::labels::Labels;
use crate::rank::MAX_RANK;

/// Largest number of operands of a contraction.
pub const MAX_OPERANDS: usize = 16;
/// Largest number of axes that an ellipsis can stand for: of the 64 labels, 52 are letters.
pub(super) const MAX_DOTS: usize = 12;
/// Largest number of terms: one for each operand, and one for the result.
const TERMS: usize = MAX_OPERANDS + 1;
/// The value of `dots` in a [`Term`] without an ellipsis.
const NO_DOTS: u8 = u8::MAX;

/// A parsed specification: the labels of each operand and of the result.
///
/// [`einsum!`](crate::einsum!) creates it at compile time, as a constant.
#[derive(Debug, Clone, Copy)]
pub struct Spec<'s> {
    text: &'s str,
    /// The number of operands.
    operands: usize,
    /// The terms of the operands, then that of the result. Further entries are unused.
    terms: [Term; TERMS],
}

/// The labels of one operand, or of the result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    labels: [u8; MAX_RANK],
    len: u8,
    /// The number of labels before the ellipsis, or `NO_DOTS`.
    dots: u8,
}

/// The error of an invalid specification.
#[derive(Debug, Clone, Copy)]
pub struct SpecError<'s> {
    text: &'s str,
    problem: Problem,
}

#[derive(Debug, Clone, Copy)]
enum Problem {
    Operands,
    Named(usize, usize),
    SecondResult,
    Arrow,
    Dots,
    RepeatedDots,
    DotsLost,
    DotsFromNowhere,
    NotALabel(u8),
    UnknownLabel(u8),
    TooManyLabels,
    TooManyAxes,
}

impl SpecError<'_> {
    /// Returns the message. This is a const function, so that the message can be a compile-time error.
    pub const fn message(&self) -> Message {
        let m = Message::new().text("einsum \"").text(self.text).text("\": ");
        match self.problem {
            Problem::Operands => m.text("there are more than 16 operands; contract some of them first"),
            Problem::Named(named, given) => {
                let m = m.text("it names ").number(named);
                let m = m.text(if named == 1 { " operand, but there " } else { " operands, but there " });
                m.text(if given == 1 { "is " } else { "are " }).number(given)
            }
            Problem::SecondResult => m.text("there is only one result, so no `,` may follow `->`"),
            Problem::Arrow => m.text("one `->` separates the operands from the result"),
            Problem::Dots => m.text("an ellipsis is three dots, `...`"),
            Problem::RepeatedDots => m.text("an operand or the result has at most one ellipsis"),
            Problem::DotsLost => m.text(
                "an operand has an ellipsis, but the result has none; its axes cannot be summed: give them labels",
            ),
            Problem::DotsFromNowhere => m.text("the result has an ellipsis, but no operand has one"),
            Problem::NotALabel(c) => {
                m.letter(c).text(" is not a label; labels are the letters a to z and A to Z")
            }
            Problem::UnknownLabel(c) => {
                m.text("the result's label ").letter(c).text(" is not a label of any operand")
            }
            Problem::TooManyLabels => {
                m.text("an operand has more than 16 labels; tensors have up to 16 axes")
            }
            Problem::TooManyAxes => m.text("the result would have more than 16 axes"),
        }
    }
}

impl core::fmt::Display for SpecError<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message().as_str())
    }
}

/// A text of at most 256 bytes, which const functions can compose.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    text: [u8; 256],
    len: usize,
}

impl Message {
    const fn new() -> Message {
        Message { text: [0; 256], len: 0 }
    }

    const fn text(mut self, text: &str) -> Message {
        let mut k = 0;
        // Bytes that do not fit are dropped.
        while k < text.len() && self.len < self.text.len() {
            self.text[self.len] = text.as_bytes()[k];
            self.len += 1;
            k += 1;
        }
        self
    }

    const fn letter(self, letter: u8) -> Message {
        match core::str::from_utf8(&[letter]) {
            Ok(letter) => self.text("`").text(letter).text("`"),
            Err(_) => self.text("a character that is not ASCII"),
        }
    }

    const fn number(self, n: usize) -> Message {
        let digits = [b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
        let (_, written) = digits.split_at(if n < 10 { 1 } else { 0 });
        match core::str::from_utf8(written) {
            Ok(written) => self.text(written),
            Err(_) => self,
        }
    }

    /// Returns the text, or a fixed text if the last character was cut off in the middle.
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.text.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "einsum: the specification is too long to be shown",
        }
    }
}

/// The letter of each label. Capitals come first: labels of an implicit result are in this order, as in NumPy.
const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const fn label_of(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        _ => None,
    }
}

impl Term {
    const EMPTY: Term = Term { labels: [0; MAX_RANK], len: 0, dots: NO_DOTS };

    /// Returns the labels that are letters, so not those of the ellipsis.
    pub(super) fn labels(&self) -> &[u8] {
        &self.labels[..self.len as usize]
    }

    /// Returns the labels that are letters, as an owned list.
    pub(super) fn all(&self) -> Labels {
        Labels::first(self.labels, self.len as usize)
    }

    /// Returns the number of labels before the ellipsis, or `None` if there is no ellipsis.
    pub(super) fn dots(&self) -> Option<usize> {
        (self.dots != NO_DOTS).then_some(self.dots as usize)
    }
}

const fn fail(text: &str, problem: Problem) -> Result<Spec<'_>, SpecError<'_>> {
    Err(SpecError { text, problem })
}

impl<'s> Spec<'s> {
    /// Parses the specification of a contraction of `operands` operands.
    ///
    /// # Errors
    /// If `text` is not a valid specification, or is one of another number of operands.
    pub const fn parse(text: &'s str, operands: usize) -> Result<Spec<'s>, SpecError<'s>> {
        if operands > MAX_OPERANDS {
            return Err(SpecError { text, problem: Problem::Operands });
        }
        let mut spec = Spec { text, operands, terms: [Term::EMPTY; TERMS] };
        let bytes = text.as_bytes();
        // `term` is the index in `spec.terms` of the term that is being read. The result's term has the index `operands`.
        let (mut at, mut term, mut arrow) = (0, 0, false);
        while at < bytes.len() {
            let letter = bytes[at];
            at += 1;
            if letter == b' ' {
                continue;
            }
            if letter == b',' {
                if arrow {
                    return fail(text, Problem::SecondResult);
                }
                term += 1;
                if term >= MAX_OPERANDS {
                    return fail(text, Problem::Operands);
                }
                continue;
            }
            if letter == b'-' {
                if arrow || at >= bytes.len() || bytes[at] != b'>' {
                    return fail(text, Problem::Arrow);
                }
                at += 1;
                arrow = true;
                continue;
            }
            let to = if arrow { operands } else { term };
            if letter == b'.' {
                if at + 1 >= bytes.len() || bytes[at] != b'.' || bytes[at + 1] != b'.' {
                    return fail(text, Problem::Dots);
                }
                at += 2;
                if to <= operands {
                    if spec.terms[to].dots != NO_DOTS {
                        return fail(text, Problem::RepeatedDots);
                    }
                    spec.terms[to].dots = spec.terms[to].len;
                }
                continue;
            }
            let Some(label) = label_of(letter) else {
                return fail(text, Problem::NotALabel(letter));
            };
            // Surplus operands have no term of their own. The check after the loop counts them, and rejects the specification.
            if to <= operands {
                let t = &mut spec.terms[to];
                if t.len as usize == MAX_RANK {
                    return fail(text, Problem::TooManyLabels);
                }
                t.labels[t.len as usize] = label;
                t.len += 1;
            }
        }
        if term + 1 != operands {
            return fail(text, Problem::Named(term + 1, operands));
        }
        if arrow { spec.check_result() } else { spec.imply_result() }
    }

    /// Checks that the labels of an explicit result are labels of operands, and that it has an ellipsis if and only if an operand
    /// has one.
    const fn check_result(self) -> Result<Spec<'s>, SpecError<'s>> {
        let result = &self.terms[self.operands];
        let mut k = 0;
        while k < result.len as usize {
            if self.count(result.labels[k]) == 0 {
                return fail(self.text, Problem::UnknownLabel(LETTERS[result.labels[k] as usize]));
            }
            k += 1;
        }
        if self.dotted() && result.dots == NO_DOTS {
            return fail(self.text, Problem::DotsLost);
        }
        if !self.dotted() && result.dots != NO_DOTS {
            return fail(self.text, Problem::DotsFromNowhere);
        }
        Ok(self)
    }

    /// Computes the implicit result by NumPy's rule: first the ellipsis, then the labels that occur once, in alphabetical order.
    const fn imply_result(mut self) -> Result<Spec<'s>, SpecError<'s>> {
        let mut result = Term::EMPTY;
        if self.dotted() {
            result.dots = 0;
        }
        let mut label = 0;
        while label < LETTERS.len() as u8 {
            if self.count(label) == 1 {
                if result.len as usize == MAX_RANK {
                    return fail(self.text, Problem::TooManyAxes);
                }
                result.labels[result.len as usize] = label;
                result.len += 1;
            }
            label += 1;
        }
        self.terms[self.operands] = result;
        Ok(self)
    }

    /// Counts how often a label occurs in the operands.
    const fn count(&self, label: u8) -> usize {
        let (mut n, mut term) = (0, 0);
        while term < self.operands {
            let mut k = 0;
            while k < self.terms[term].len as usize {
                if self.terms[term].labels[k] == label {
                    n += 1;
                }
                k += 1;
            }
            term += 1;
        }
        n
    }

    /// Returns whether an operand has an ellipsis.
    const fn dotted(&self) -> bool {
        let mut term = 0;
        while term < self.operands {
            if self.terms[term].dots != NO_DOTS {
                return true;
            }
            term += 1;
        }
        false
    }

    /// Parses a specification. In a constant, the panic of an invalid specification is a compile-time error.
    ///
    /// # Panics
    /// If [`parse`](Spec::parse) returns an error, with its message.
    #[track_caller]
    pub const fn new(text: &'s str, operands: usize) -> Spec<'s> {
        match Spec::parse(text, operands) {
            Ok(spec) => spec,
            Err(error) => panic!("{}", error.message().as_str()),
        }
    }

    /// Returns the number of labels of operand `k`, or of the result if `k` is the number of operands.
    pub const fn labels(&self, k: usize) -> usize {
        self.terms[k].len as usize
    }

    /// Returns whether operand `k` has an ellipsis. If `k` is the number of operands, returns whether the result has one.
    pub const fn ellipsis(&self, k: usize) -> bool {
        self.terms[k].dots != NO_DOTS
    }

    /// Returns the number of operands.
    pub const fn operands(&self) -> usize {
        self.operands
    }

    /// Returns the specification's source text.
    pub const fn text(&self) -> &'s str {
        self.text
    }

    /// Returns the terms of the operands, and the term of the result.
    pub(super) fn terms(&self) -> (&[Term], &Term) {
        (&self.terms[..self.operands], &self.terms[self.operands])
    }
}

/// Returns the text for a label in error messages.
pub(super) fn letter(label: u8) -> String {
    match LETTERS.get(label as usize) {
        Some(&letter) => format!("label `{}`", letter as char),
        None => "the ellipsis".into(),
    }
}

/// Returns the character for a label in the steps of a path: a letter, or a digit for an axis of an ellipsis. The digits count from
/// 0; the tenth axis and all further axes have the digit 9.
pub(super) fn symbol(label: u8) -> char {
    match LETTERS.get(label as usize) {
        Some(&letter) => letter as char,
        None => char::from(b'0' + (63 - label).min(9)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(spec: &Spec<'_>) -> String {
        let (operands, result) = spec.terms();
        let term = |t: &Term| {
            let mut text: String = t.labels().iter().map(|&l| LETTERS[l as usize] as char).collect();
            if let Some(at) = t.dots() {
                text.insert_str(at, "...");
            }
            text
        };
        let all: Vec<_> = operands.iter().map(term).collect();
        format!("{}->{}", all.join(","), term(result))
    }

    #[test]
    fn reads_what_is_written() {
        for (text, operands, expected) in [
            ("ij,jk->ik", 2, "ij,jk->ik"),
            (" i j , jk -> k i ", 2, "ij,jk->ki"),
            (",ij->ij", 2, ",ij->ij"),
            ("", 1, "->"),
            ("->", 1, "->"),
            ("i->ii", 1, "i->ii"),
            ("a...b,...->...ab", 2, "a...b,...->...ab"),
            // As in NumPy, an implicit result has the ellipsis first, then the labels in alphabetical order, capitals first.
            ("ba", 1, "ba->ab"),
            ("ij,jk", 2, "ij,jk->ik"),
            ("ii", 1, "ii->"),
            ("bA", 1, "bA->Ab"),
            ("b...a,a", 2, "b...a,a->...b"),
        ] {
            assert_eq!(written(&Spec::new(text, operands)), expected);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, operands, words) in [
            ("ij,jk->ix", 2, "the result's label `x` is not a label of any operand"),
            ("ij,jk->ik", 3, "it names 2 operands, but there are 3"),
            ("ij,jk->ik", 1, "it names 2 operands, but there is 1"),
            ("ij->i,j", 1, "no `,` may follow"),
            ("i1->i", 1, "`1` is not a label"),
            ("iä->i", 1, "not ASCII"),
            ("ij->i->j", 1, "one `->`"),
            ("ij-i", 1, "one `->`"),
            ("i..->i", 1, "three dots"),
            ("...i...->i", 1, "at most one ellipsis"),
            ("...i->i", 1, "its axes cannot be summed"),
            ("i->...i", 1, "no operand has one"),
            ("abcdefghijklmnopq->", 1, "more than 16 labels"),
            ("abcdefgh,ijklmnopq", 2, "more than 16 axes"),
            ("a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", 16, "more than 16 operands"),
        ] {
            let error = Spec::parse(text, operands).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(words), "{message:?} lacks {words:?}");
        }
    }
}
