//! The parts of a function.

use super::Failure;
use proc_macro::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};

/// A function, split where the two functions differ.
pub(super) struct Signature {
    /// The lines of the documentation: the tokens of `#[doc = ..]`.
    pub(super) docs: Vec<TokenStream>,
    /// Attributes that only the function `name` gets.
    pub(super) attributes_of_name: Vec<TokenTree>,
    /// Attributes that both functions get.
    pub(super) attributes: Vec<TokenTree>,
    /// What is before the name: the visibility, `unsafe`, `fn`.
    qualifiers: Vec<TokenTree>,
    pub(super) name: Ident,
    /// The generic parameters, and the parameters in parentheses.
    parameters: Vec<TokenTree>,
    /// `self`, if the function is a method.
    pub(super) receiver: Option<Ident>,
    /// The names of the other parameters.
    pub(super) arguments: Vec<Ident>,
    /// The arrow and the type of the result, or nothing.
    result: Vec<TokenTree>,
    /// The `where` clause.
    bounds: Vec<TokenTree>,
    pub(super) body: TokenTree,
}

impl Signature {
    pub(super) fn parse(item: TokenStream) -> Result<Signature, Failure> {
        let mut tokens = item.into_iter().peekable();
        let (mut docs, mut attributes_of_name, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(hash) = tokens.next_if(|token| is(token, '#')) {
            let Some(TokenTree::Group(brackets)) = tokens.next() else {
                return Err(("expected an attribute", hash.span()));
            };
            let mut inner = brackets.stream().into_iter();
            // A fragment of a declarative macro, `#[$doc]`, is a group without delimiters.
            if let (Some(TokenTree::Group(fragment)), None) = (inner.next(), inner.next())
                && fragment.delimiter() == Delimiter::None
            {
                inner = fragment.stream().into_iter();
            } else {
                inner = brackets.stream().into_iter();
            }
            let of = inner.next().map(|name| name.to_string());
            let is_line = inner.next().is_some_and(|token| is(&token, '='));
            let both = [hash, brackets.into()];
            match of.as_deref() {
                Some("doc") if is_line => docs.push(both.into_iter().collect()),
                Some("doc" | "must_use") => attributes_of_name.extend(both),
                _ => attributes.extend(both),
            }
        }
        let mut qualifiers = Vec::new();
        loop {
            let token = tokens.next().ok_or(("expected a function", Span::call_site()))?;
            let is_fn = matches!(&token, TokenTree::Ident(word) if word.to_string() == "fn");
            qualifiers.push(token);
            if is_fn {
                break;
            }
        }
        let Some(TokenTree::Ident(name)) = tokens.next() else {
            return Err(("expected the name of a function", Span::call_site()));
        };
        let failure = |message| (message, name.span());

        let mut parameters = Vec::new();
        let mut depth = Depth::default();
        let inside = loop {
            let token = tokens.next().ok_or(failure("expected parameters"))?;
            depth.pass(&token);
            parameters.push(token.clone());
            if let TokenTree::Group(group) = token
                && depth.is_outside()
                && group.delimiter() == Delimiter::Parenthesis
            {
                break group.stream();
            }
        };
        let (receiver, arguments) =
            names(inside).ok_or(failure("the parameters of a `#[fallible]` function are plain names"))?;

        let mut rest: Vec<TokenTree> = tokens.collect();
        let body = rest
            .pop()
            .filter(|body| matches!(body, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace));
        let body = body.ok_or(failure("expected a body"))?;
        let is_where =
            |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word.to_string() == "where");
        let bounds = rest.split_off(rest.iter().position(is_where).unwrap_or(rest.len()));
        let result = rest;
        Ok(Signature {
            docs,
            attributes_of_name,
            attributes,
            qualifiers,
            name,
            parameters,
            receiver,
            arguments,
            result,
            bounds,
            body,
        })
    }

    /// Returns the function with another name and body. It returns a `Result` if `wrapped`.
    pub(super) fn with(&self, name: &Ident, wrapped: bool, body: TokenTree) -> TokenStream {
        let mut tokens: TokenStream = self.qualifiers.iter().cloned().collect();
        tokens.extend([TokenTree::from(name.clone())]);
        tokens.extend(self.parameters.iter().cloned());
        if wrapped {
            let value = self
                .result
                .get(2..)
                .map_or("()".parse().expect("this is a type"), |value| value.iter().cloned().collect());
            tokens.extend(result(value));
        } else {
            tokens.extend(self.result.iter().cloned());
        }
        tokens.extend(self.bounds.iter().cloned());
        tokens.extend([body]);
        tokens
    }
}

/// Returns `-> Result<value, Error>`.
fn result(value: TokenStream) -> TokenStream {
    let mut tokens: TokenStream = "-> ::core::result::Result<".parse().expect("these are tokens");
    tokens.extend(value);
    tokens.extend(", crate::error::Error>".parse::<TokenStream>().expect("these are tokens"));
    tokens
}

fn is(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// The number of open angle brackets, which are no groups of tokens.
#[derive(Default)]
struct Depth {
    open: usize,
    after_dash: bool,
}

impl Depth {
    fn pass(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => self.open += 1,
            // Not the end of an arrow.
            TokenTree::Punct(punct) if punct.as_char() == '>' && !self.after_dash => self.open -= 1,
            _ => {}
        }
        self.after_dash = matches!(token, TokenTree::Punct(punct) if punct.as_char() == '-' && punct.spacing() == Spacing::Joint);
    }

    fn is_outside(&self) -> bool {
        self.open == 0
    }
}

/// Returns `self`, if there is one, and the names of the other parameters. Returns `None` if a parameter is a pattern.
fn names(parameters: TokenStream) -> Option<(Option<Ident>, Vec<Ident>)> {
    let (mut receiver, mut names) = (None, Vec::new());
    let (mut depth, mut last, mut named) = (Depth::default(), None, false);
    for token in parameters {
        depth.pass(&token);
        match token {
            TokenTree::Punct(punct) if depth.is_outside() && punct.as_char() == ',' => {
                (last, named) = (None, false)
            }
            TokenTree::Punct(punct) if !named && punct.as_char() == ':' => {
                let name: Ident = last.take()?;
                if name.to_string() != "self" {
                    names.push(name);
                }
                named = true;
            }
            TokenTree::Ident(word) if !named => {
                if word.to_string() == "self" {
                    receiver = Some(word.clone());
                }
                last = Some(word);
            }
            TokenTree::Group(_) if !named => return None,
            _ => {}
        }
    }
    Some((receiver, names))
}
