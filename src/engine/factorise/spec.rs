//! The parser of the specification of a factorisation, such as `"abcd -> abk, kcd"`. It consists of const functions, so `svd!` and the
//! other macros reject an invalid specification at compile time. Factorisations of dynamic tensors call the parser at run time.
//!
//! All factorisations have one grammar: the operand, `->`, and the two factors. Each label of the operand is in one factor. The labels in
//! the first factor are the rows of the matrix, those in the second factor its columns. Both factors also have one label that the operand
//! lacks, the bond; for `polar!`, they have one such label for each column label. The axes of a batch are an ellipsis in all three terms.

use crate::engine::contract::notation::{Message, NotAToken, Term, Token, letter_of, token};
use crate::error::Error;
use crate::rank::MAX_RANK;

/// A factorisation by labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Factorisation {
    /// Singular value decomposition: [`svd!`](crate::svd!).
    Svd,
    /// QR decomposition: [`qr!`](crate::qr!).
    Qr,
    /// LQ decomposition: [`lq!`](crate::lq!).
    Lq,
    /// Eigenvalues and eigenvectors of a Hermitian matrix: [`eigh!`](crate::eigh!).
    Eigh,
    /// Polar decomposition: [`polar!`](crate::polar!).
    Polar,
}

impl Factorisation {
    /// Returns the name of the macro, without `!`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Factorisation::Svd => "svd",
            Factorisation::Qr => "qr",
            Factorisation::Lq => "lq",
            Factorisation::Eigh => "eigh",
            Factorisation::Polar => "polar",
        }
    }
}

/// A parsed specification: the labels of the operand and of the two factors.
///
/// [`svd!`](crate::svd!) and the other factorisation macros create it at compile time, as a constant.
#[derive(Debug, Clone, Copy)]
pub struct FactorSpec<'s> {
    factorisation: Factorisation,
    text: &'s str,
    /// The terms of the operand, of the first factor and of the second factor.
    terms: [Term; 3],
    /// The labels of the bond, which both factors have and the operand lacks.
    bond: Term,
}

/// The error of an invalid specification.
#[derive(Debug, Clone, Copy)]
pub struct FactorSpecError<'s> {
    factorisation: Factorisation,
    text: &'s str,
    problem: Problem,
}

/// What is wrong with a specification. A `u8` is a label. A `usize` is the number of a term, an index into [`TERMS`], except in
/// `Factors`, `Unpaired` and `NotSquare`, where it is a count.
#[derive(Debug, Clone, Copy)]
enum Problem {
    NotAToken(NotAToken),
    SecondArrow,
    NoArrow,
    Operands,
    Factors(usize),
    RepeatedDots(usize),
    DotsLost,
    DotsFromNowhere,
    TooManyLabels(usize),
    Repeated(u8, usize),
    Lost(u8),
    InBoth(u8),
    InOne(u8, usize),
    NoBond,
    TwoBonds(u8, u8),
    Empty(usize),
    Unpaired(usize, usize),
    NotSquare(usize, usize),
}

const TERMS: [&str; 3] = ["the operand", "the first factor", "the second factor"];

/// What error messages say about `->`.
const ARROW: &str = "one `->` separates the operand from its factors";

impl FactorSpecError<'_> {
    /// Returns the message. This is a const function, so that the message can be a compile-time error.
    pub const fn message(&self) -> Message {
        let m = Message::about(self.factorisation.name(), self.text);
        match self.problem {
            Problem::NotAToken(what) => m.not_a_token(what, ARROW),
            Problem::SecondArrow => m.text(ARROW),
            Problem::NoArrow => m.text(
                "there is no `->`; write the operand, `->` and the two factors, as in \"ij -> ik, kj\"",
            ),
            Problem::Operands => m.text("there is one operand, so no `,` may precede `->`"),
            Problem::Factors(named) => {
                let m = m.text("it names ").number(named);
                let m =
                    m.text(if named == 1 { " factor, but there are 2" } else { " factors, but there are 2" });
                match self.factorisation {
                    Factorisation::Svd if named > 2 => m.text("; the singular values have no term"),
                    Factorisation::Eigh if named > 2 => m.text("; the eigenvalues have no term"),
                    _ => m,
                }
            }
            Problem::RepeatedDots(term) => m.text(TERMS[term]).text(" has more than one ellipsis"),
            Problem::DotsLost => {
                m.text("the operand has an ellipsis, the axes of a batch, so both factors need it, too")
            }
            Problem::DotsFromNowhere => m.text("a factor has an ellipsis, but the operand has none"),
            Problem::TooManyLabels(term) => {
                m.text(TERMS[term]).text(" has more than 16 labels; tensors have up to 16 axes")
            }
            Problem::Repeated(label, term) => {
                m.text("label ").letter(letter_of(label)).text(" occurs twice in ").text(TERMS[term])
            }
            Problem::Lost(label) => {
                m.text("label ").letter(letter_of(label)).text(" of the operand is in neither factor")
            }
            Problem::InBoth(label) => m.text("label ").letter(letter_of(label)).text(
                " of the operand is in both factors; it belongs to one of them (axes of a batch are `...`)",
            ),
            Problem::InOne(label, term) => m
                .text("label ")
                .letter(letter_of(label))
                .text(" of ")
                .text(TERMS[term])
                .text(" is neither in the operand nor in ")
                .text(TERMS[3 - term])
                .text("; the new label, the bond, is in both factors"),
            Problem::NoBond => {
                m.text("the factors share no new label; name the bond by a letter that the operand lacks")
            }
            Problem::TwoBonds(first, second) => m
                .text("labels ")
                .letter(letter_of(first))
                .text(" and ")
                .letter(letter_of(second))
                .text(" are both new; the factors share one bond"),
            Problem::Empty(term) => m.text(TERMS[term]).text(" has no label of the operand"),
            Problem::Unpaired(rows, columns) => m
                .text("rows and columns are paired by their places, but there are ")
                .number(rows)
                .text(if rows == 1 { " label of rows and " } else { " labels of rows and " })
                .number(columns)
                .text(" of columns"),
            Problem::NotSquare(new, columns) => m
                .text("the second factor is square, with a new label for each column label, but it has ")
                .number(new)
                .text(" new and ")
                .number(columns)
                .text(" column labels"),
        }
    }
}

impl core::fmt::Display for FactorSpecError<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message().as_str())
    }
}

impl<'s> FactorSpec<'s> {
    /// Parses the specification of a factorisation.
    ///
    /// # Errors
    /// If `text` is not a valid specification.
    pub const fn parse(
        factorisation: Factorisation,
        text: &'s str,
    ) -> Result<FactorSpec<'s>, FactorSpecError<'s>> {
        let problem = match read(text) {
            Ok(terms) => match check(&terms, factorisation) {
                Ok(bond) => return Ok(FactorSpec { factorisation, text, terms, bond }),
                Err(problem) => problem,
            },
            Err(problem) => problem,
        };
        Err(FactorSpecError { factorisation, text, problem })
    }

    /// Parses a specification. In a constant, the panic of an invalid specification is a compile-time error.
    ///
    /// # Panics
    /// If [`parse`](FactorSpec::parse) returns an error. The panic message is the message of the error.
    #[track_caller]
    pub const fn new(factorisation: Factorisation, text: &'s str) -> FactorSpec<'s> {
        match FactorSpec::parse(factorisation, text) {
            Ok(spec) => spec,
            Err(error) => panic!("{}", error.message().as_str()),
        }
    }

    /// Returns the number of labels of the operand (0), of the first factor (1) or of the second factor (2).
    pub const fn labels(&self, term: usize) -> usize {
        self.terms[term].len()
    }

    /// Returns whether the operand, and so each factor, has an ellipsis.
    pub const fn ellipsis(&self) -> bool {
        self.terms[0].has_dots()
    }

    /// Checks the rank of the operand.
    ///
    /// # Errors
    /// * [`Error::Spec`] if the operand does not have the axes that the specification names.
    /// * [`Error::UnsupportedRank`] if the operand has more than [`MAX_RANK`] axes.
    pub(crate) fn check_rank(&self, rank: usize) -> Result<(), Error> {
        if rank > MAX_RANK {
            let reason = format!(
                "{} \"{}\": the operand has rank {rank}, but operands have ranks from 0 to {MAX_RANK}; merge axes first with \
                 `.reshape(..)`",
                self.factorisation().name(),
                self.text
            );
            return Err(Error::UnsupportedRank { op: "factorise", reason });
        }
        let labels = self.labels(0);
        if labels == rank || (labels < rank && self.ellipsis()) {
            return Ok(());
        }
        Err(Error::Spec {
            reason: format!(
                "{} \"{}\": the specification has {labels} labels for an operand that is a tensor of `Rank<{rank}>`: \
                 an operand has one label for each axis; write a letter for each axis; `...` stands for any number of them",
                self.factorisation().name(),
                self.text
            ),
        })
    }

    /// Returns the specification's source text.
    pub const fn text(&self) -> &'s str {
        self.text
    }

    /// Returns the factorisation that the specification is for.
    pub const fn factorisation(&self) -> Factorisation {
        self.factorisation
    }

    /// Returns the terms of the operand, of the first factor and of the second factor.
    pub(super) fn terms(&self) -> &[Term; 3] {
        &self.terms
    }

    /// Returns the labels of the bond, which both factors have and the operand lacks, in the order of the second factor. There is one,
    /// except for `polar!`.
    pub(super) fn bond(&self) -> &[u8] {
        self.bond.labels()
    }
}

/// Reads the terms.
const fn read(text: &str) -> Result<[Term; 3], Problem> {
    let (bytes, mut terms) = (text.as_bytes(), [Term::EMPTY; 3]);
    // `term` is the number of the term that is being read.
    let (mut at, mut term) = (0, 0);
    loop {
        let next = match token(bytes, at) {
            Ok((next, after)) => {
                at = after;
                next
            }
            Err(what) => return Err(Problem::NotAToken(what)),
        };
        match next {
            Token::End => break,
            Token::Comma if term == 0 => return Err(Problem::Operands),
            Token::Comma => term += 1,
            Token::Arrow if term > 0 => return Err(Problem::SecondArrow),
            Token::Arrow => term = 1,
            // Surplus factors are an error, which reports only their number.
            Token::Dots | Token::Label(_) if term > 2 => {}
            Token::Dots => {
                if !terms[term].push_dots() {
                    return Err(Problem::RepeatedDots(term));
                }
            }
            Token::Label(label) => {
                if terms[term].count(label) > 0 {
                    return Err(Problem::Repeated(label, term));
                }
                if !terms[term].push(label) {
                    return Err(Problem::TooManyLabels(term));
                }
            }
        }
    }
    match term {
        0 => Err(Problem::NoArrow),
        2 => Ok(terms),
        named => Err(Problem::Factors(named)),
    }
}

/// Checks that the terms describe a factorisation, and returns the labels of the bond.
const fn check(terms: &[Term; 3], factorisation: Factorisation) -> Result<Term, Problem> {
    let [operand, first, second] = terms;
    if operand.has_dots() && !(first.has_dots() && second.has_dots()) {
        return Err(Problem::DotsLost);
    }
    if !operand.has_dots() && (first.has_dots() || second.has_dots()) {
        return Err(Problem::DotsFromNowhere);
    }
    let mut k = 0;
    while k < operand.len() {
        let label = operand.label(k);
        match first.count(label) + second.count(label) {
            0 => return Err(Problem::Lost(label)),
            1 => {}
            _ => return Err(Problem::InBoth(label)),
        }
        k += 1;
    }
    // The other labels of the factors are labels of the bond, and must be in both factors.
    let (mut bond, mut factor) = (Term::EMPTY, 1);
    while factor < 3 {
        let mut k = 0;
        while k < terms[factor].len() {
            let label = terms[factor].label(k);
            k += 1;
            if operand.count(label) > 0 {
                continue;
            }
            if terms[3 - factor].count(label) == 0 {
                return Err(Problem::InOne(label, factor));
            }
            if factor == 2 {
                bond.push(label);
            }
        }
        factor += 1;
    }
    let new = bond.len();
    if new == 0 {
        return Err(Problem::NoBond);
    }
    let polar = matches!(factorisation, Factorisation::Polar);
    if new > 1 && !polar {
        return Err(Problem::TwoBonds(bond.label(0), bond.label(1)));
    }
    let (rows, columns) = (first.len() - new, second.len() - new);
    if rows == 0 {
        return Err(Problem::Empty(1));
    }
    if columns == 0 {
        return Err(Problem::Empty(2));
    }
    if matches!(factorisation, Factorisation::Eigh) && rows != columns {
        return Err(Problem::Unpaired(rows, columns));
    }
    if polar && new != columns {
        return Err(Problem::NotSquare(new, columns));
    }
    Ok(bond)
}

#[cfg(test)]
mod tests {
    use super::Factorisation::{Eigh, Lq, Polar, Qr, Svd};
    use super::*;

    #[test]
    fn accepted_specifications_have_one_bond() {
        for (factorisation, text, labels, bond, ellipsis) in [
            (Svd, "abcd -> abk, kcd", [4, 3, 3], "k", false),
            (Svd, "abcd->dka,ckb", [4, 3, 3], "k", false),
            (Qr, " aib -> aik , kb ", [3, 3, 2], "k", false),
            (Lq, "...ij -> ...iB, B...j", [2, 2, 2], "B", true),
            (Eigh, "ijkl -> ijn, nkl", [4, 3, 3], "n", false),
            (Polar, "abcd -> aybx, xycd", [4, 4, 4], "xy", false),
        ] {
            let spec = FactorSpec::new(factorisation, text);
            assert_eq!([0, 1, 2].map(|term| spec.labels(term)), labels, "{text}");
            let letters: String = spec.bond().iter().map(|&label| letter_of(label) as char).collect();
            assert_eq!((letters.as_str(), spec.ellipsis()), (bond, ellipsis), "{text}");
        }
    }

    #[test]
    fn rejected_specifications_are_explained() {
        for (factorisation, text, words) in [
            (Svd, "abcd -> abd, dc", "label `d` of the operand is in both factors"),
            (Svd, "abcd -> abc, ccd", "label `c` occurs twice in the second factor"),
            (Svd, "abcd -> abk, kc", "label `d` of the operand is in neither factor"),
            (Qr, "abcd -> abbk, kcd", "label `b` occurs twice in the first factor"),
            (Qr, "abbd -> abk, kd", "label `b` occurs twice in the operand"),
            (
                Qr,
                "abcd -> abk, cd",
                "label `k` of the first factor is neither in the operand nor in the second",
            ),
            (
                Qr,
                "abcd -> abk, kxcd",
                "label `x` of the second factor is neither in the operand nor in the first",
            ),
            (Lq, "abcd -> abkl, klcd", "labels `k` and `l` are both new"),
            (Svd, "abcd -> ab, cd", "share no new label"),
            (
                Svd,
                "abcd -> abk, k, kcd",
                "it names 3 factors, but there are 2; the singular values have no term",
            ),
            (Eigh, "ij -> ik, k, kj", "it names 3 factors, but there are 2; the eigenvalues have no term"),
            (Qr, "abcd -> abk, k, kcd", "it names 3 factors, but there are 2"),
            (Qr, "abcd -> abk", "it names 1 factor, but there are 2"),
            (Svd, "abcd -> ", "it names 1 factor"),
            (Svd, "ab,cd -> abk, kcd", "no `,` may precede `->`"),
            (Svd, "abcd", "there is no `->`"),
            (Svd, "", "there is no `->`"),
            (Svd, "ab -> ak -> kb", "one `->`"),
            (Svd, "ab - ak, kb", "one `->`"),
            (Svd, "a1 -> ak, k1", "`1` is not a label"),
            (Svd, "aä -> ak, kä", "not ASCII"),
            (Svd, "..ab -> ..ak, ..kb", "three dots"),
            (Svd, "...a...b -> ak, kb", "the operand has more than one ellipsis"),
            (Svd, "...ab -> ...ak, kb", "both factors need it"),
            (Svd, "ab -> ...ak, kb", "the operand has none"),
            (Svd, "ab -> abk, k", "the second factor has no label of the operand"),
            (Svd, "ab -> k, kab", "the first factor has no label of the operand"),
            (Svd, "abcdefghijklmnopq -> az, zb", "the operand has more than 16 labels"),
            (Eigh, "abcd -> abck, kd", "there are 3 labels of rows and 1 of columns"),
            (Eigh, "abc -> ak, kbc", "there are 1 label of rows and 2 of columns"),
            (Polar, "abcd -> abx, xcd", "it has 1 new and 2 column labels"),
            (Polar, "abc -> axyb, xyc", "it has 2 new and 1 column labels"),
        ] {
            let message = FactorSpec::parse(factorisation, text).unwrap_err().to_string();
            assert!(message.contains(words), "{message:?} lacks {words:?}");
            assert!(message.starts_with(&format!("{} \"{text}\": ", factorisation.name())));
            assert!(message.len() < 200, "{message} may be cut off");
            // A long specification does not displace the reason. Blanks have no meaning.
            let long = [" ".repeat(300).as_str(), text].concat();
            let found = FactorSpec::parse(factorisation, &long).unwrap_err().to_string();
            assert!(found.ends_with(message.split_once("\": ").unwrap().1), "{found:?}");
        }
    }
}
