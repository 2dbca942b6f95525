//! The parser of the specification of a contraction, such as `"ij,jk->ik"`. It consists of const functions, so `einsum!` rejects an
//! invalid specification at compile time. Contractions of dynamic tensors call the parser at run time.
//!
//! The notation is NumPy's. A letter is the label of an axis. Axes with the same letter share an index, and letters that the result
//! lacks are summed over. `...` stands for axes without labels. Without `->`, the result has the ellipsis first, then the letters
//! that occur once, in alphabetical order (capitals first). Unlike in NumPy, the result may repeat a letter: `i->ii` is a diagonal
//! matrix.

use crate::error::Error;
use crate::rank::MAX_RANK;

use super::notation::{LETTERS, Message, NotAToken, Term, Token, letter_of, token};

/// Largest number of operands of a contraction.
pub const MAX_OPERANDS: usize = 16;
/// Largest number of terms: one for each operand, and one for the result.
const TERMS: usize = MAX_OPERANDS + 1;

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
    SecondArrow,
    NotAToken(NotAToken),
    RepeatedDots,
    DotsLost,
    DotsFromNowhere,
    UnknownLabel(u8),
    TooManyLabels,
    TooManyAxes,
}

/// What error messages say about `->`.
const ARROW: &str = "one `->` separates the operands from the result";

impl SpecError<'_> {
    /// Returns the message. This is a const function, so that the message can be a compile-time error.
    pub const fn message(&self) -> Message {
        let m = Message::about("einsum", self.text);
        match self.problem {
            Problem::Operands => m.text("there are more than 16 operands; contract some of them first"),
            Problem::Named(named, given) => {
                let m = m.text("it names ").number(named);
                let m = m.text(if named == 1 { " operand, but there " } else { " operands, but there " });
                m.text(if given == 1 { "is " } else { "are " }).number(given)
            }
            Problem::SecondResult => m.text("there is only one result, so no `,` may follow `->`"),
            Problem::SecondArrow => m.text(ARROW),
            Problem::NotAToken(what) => m.not_a_token(what, ARROW),
            Problem::RepeatedDots => m.text("an operand or the result has at most one ellipsis"),
            Problem::DotsLost => m.text(
                "an operand has an ellipsis, but the result has none; its axes cannot be summed: give them labels",
            ),
            Problem::DotsFromNowhere => m.text("the result has an ellipsis, but no operand has one"),
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

const fn fail(text: &str, problem: Problem) -> Result<Spec<'_>, SpecError<'_>> {
    Err(SpecError { text, problem })
}

impl<'s> Spec<'s> {
    /// Parses the specification of a contraction of `operands` operands.
    ///
    /// # Errors
    /// * If `text` is not a valid specification, or does not have `operands` terms before the result.
    /// * If `operands` exceeds [`MAX_OPERANDS`].
    pub const fn parse(text: &'s str, operands: usize) -> Result<Spec<'s>, SpecError<'s>> {
        if operands > MAX_OPERANDS {
            return Err(SpecError { text, problem: Problem::Operands });
        }
        let mut spec = Spec { text, operands, terms: [Term::EMPTY; TERMS] };
        let bytes = text.as_bytes();
        // `term` is the index in `spec.terms` of the term that is being read. The result's term has the index `operands`.
        let (mut at, mut term, mut arrow) = (0, 0, false);
        loop {
            let next = match token(bytes, at) {
                Ok((next, after)) => {
                    at = after;
                    next
                }
                Err(what) => return fail(text, Problem::NotAToken(what)),
            };
            let to = if arrow { operands } else { term };
            match next {
                Token::End => break,
                Token::Comma if arrow => return fail(text, Problem::SecondResult),
                Token::Comma => {
                    term += 1;
                    if term >= MAX_OPERANDS {
                        return fail(text, Problem::Operands);
                    }
                }
                Token::Arrow if arrow => return fail(text, Problem::SecondArrow),
                Token::Arrow => arrow = true,
                // Surplus operands have no term of their own. The check after the loop counts them, and rejects the specification.
                Token::Dots | Token::Label(_) if to > operands => {}
                Token::Dots => {
                    if !spec.terms[to].push_dots() {
                        return fail(text, Problem::RepeatedDots);
                    }
                }
                Token::Label(label) => {
                    if !spec.terms[to].push(label) {
                        return fail(text, Problem::TooManyLabels);
                    }
                }
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
        while k < result.len() {
            if self.count(result.label(k)) == 0 {
                return fail(self.text, Problem::UnknownLabel(letter_of(result.label(k))));
            }
            k += 1;
        }
        if self.dotted() && !result.has_dots() {
            return fail(self.text, Problem::DotsLost);
        }
        if !self.dotted() && result.has_dots() {
            return fail(self.text, Problem::DotsFromNowhere);
        }
        Ok(self)
    }

    /// Computes the implicit result by NumPy's rule: first the ellipsis, then the labels that occur once, in alphabetical order.
    const fn imply_result(mut self) -> Result<Spec<'s>, SpecError<'s>> {
        let mut result = Term::EMPTY;
        if self.dotted() {
            result.push_dots();
        }
        let mut label = 0;
        while label < LETTERS.len() as u8 {
            if self.count(label) == 1 && !result.push(label) {
                return fail(self.text, Problem::TooManyAxes);
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
            n += self.terms[term].count(label);
            term += 1;
        }
        n
    }

    /// Returns whether an operand has an ellipsis.
    const fn dotted(&self) -> bool {
        let mut term = 0;
        while term < self.operands {
            if self.terms[term].has_dots() {
                return true;
            }
            term += 1;
        }
        false
    }

    /// Parses a specification. In a constant, the panic of an invalid specification is a compile-time error.
    ///
    /// # Panics
    /// If [`parse`](Spec::parse) returns an error. The panic message is the message of the error.
    #[track_caller]
    pub const fn new(text: &'s str, operands: usize) -> Spec<'s> {
        match Spec::parse(text, operands) {
            Ok(spec) => spec,
            Err(error) => panic!("{}", error.message().as_str()),
        }
    }

    /// Returns the number of labels of operand `k`, or of the result if `k` is the number of operands.
    pub const fn labels(&self, k: usize) -> usize {
        self.terms[k].len()
    }

    /// Returns whether operand `k` has an ellipsis. If `k` is the number of operands, returns whether the result has one.
    pub const fn ellipsis(&self, k: usize) -> bool {
        self.terms[k].has_dots()
    }

    /// Checks the ranks of the operands, of which there are as many as the specification has.
    ///
    /// # Errors
    /// * [`Error::Spec`] if an operand does not have the axes that the specification names, or if the result would have too many.
    /// * [`Error::UnsupportedRank`] if an operand has more than [`MAX_RANK`] axes.
    pub(crate) fn check_ranks(&self, ranks: impl Iterator<Item = usize>) -> Result<(), Error> {
        let fail =
            |reason: String| Err(Error::Spec { reason: format!("einsum \"{}\": {reason}", self.text) });
        let mut ellipsis = 0;
        for (k, rank) in ranks.enumerate() {
            if rank > MAX_RANK {
                let reason = format!(
                    "einsum \"{}\": operand {} has rank {rank}, but operands have ranks from 0 to {MAX_RANK}; merge axes first with \
                     `.reshape(..)`, or contract with `.tensordot(..)`",
                    self.text,
                    k + 1
                );
                return Err(Error::UnsupportedRank { op: "contract", reason });
            }
            let labels = self.labels(k);
            if labels > rank || (labels < rank && !self.ellipsis(k)) {
                return fail(format!(
                    "the specification has {labels} labels for an operand that is a tensor of `Rank<{rank}>`: \
                     an operand has one label for each axis; write a letter for each axis; `...` stands for any number of them"
                ));
            }
            ellipsis = ellipsis.max(rank - labels);
        }
        let labels = self.labels(self.operands);
        if self.ellipsis(self.operands) && labels + ellipsis > MAX_RANK {
            return fail(format!(
                "the result cannot have {labels} labels in addition to an ellipsis of `Rank<{ellipsis}>`: \
                 ranks run from `Rank<0>` to `Rank<16>`"
            ));
        }
        Ok(())
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
    #[inline]
    pub(crate) fn terms(&self) -> (&[Term], &Term) {
        (&self.terms[..self.operands], &self.terms[self.operands])
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
            // A long specification does not displace the reason. Blanks have no meaning.
            for blanks in [150, 255, 256, 257, 400, 5000] {
                let long = [" ".repeat(blanks).as_str(), text].concat();
                let found = Spec::parse(&long, operands).unwrap_err().to_string();
                let (_, reason) = message.split_once("\": ").unwrap();
                assert!(found.ends_with(reason), "{found:?} lacks {reason:?}");
            }
        }
    }

    #[test]
    fn long_specifications_are_cut() {
        let message = |text: &str| Spec::parse(text, 1).unwrap_err().to_string();
        let letters = "a".repeat(300);
        assert_eq!(
            message(&letters),
            format!(
                "einsum \"{}..\": an operand has more than 16 labels; tensors have up to 16 axes",
                &letters[..256]
            )
        );
        // No character is cut in the middle.
        let umlauts = " ".repeat(255) + "ä";
        assert_eq!(
            message(&umlauts),
            format!(
                "einsum \"{}..\": a character that is not ASCII is not a label; labels are the letters a to z and A to Z",
                " ".repeat(255)
            )
        );
    }
}
