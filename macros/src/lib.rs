//! Attribute macros for the source of the crate [vierbein](https://docs.rs/vierbein). They are a crate of their own because Rust requires it;
//! no other crate should use them.

mod docs;
mod signature;

use docs::Docs;
use proc_macro::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use signature::Signature;

/// Defines a function twice: as `name`, which panics, and as `try_name`, which returns a `Result`.
///
/// The source has the signature of `name`, which returns `T`, and the body of `try_name`, which evaluates to `Result<T, Error>`. The body of
/// `name` calls `try_name`, and panics with the message of the error. `name` also gets `#[track_caller]`. So compiler messages, which show the
/// source of a signature, show that of the function that most users call.
///
/// Both functions are documented by one comment, which needs a section `# Errors`:
///
/// * `name` has the whole comment. The heading `# Errors` becomes `# Panics`.
/// * `try_name` has a reference to `name` and the section `# Errors`.
///
/// If there is also a section `# Panics`, it says when both functions panic. `name` has the text of both sections under one heading.
///
/// Other attributes apply to both functions, but `#[doc(..)]` and `#[must_use]` to `name` only. Parameters must be plain names.
///
/// `#[fallible(free)]` is for functions that are not associated functions of a type.
#[proc_macro_attribute]
pub fn fallible(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let free = match arguments.to_string().as_str() {
        "" => false,
        "free" => true,
        _ => return error("`#[fallible]` has no argument, or `free`", Span::call_site()),
    };
    match both(free, item) {
        Ok(functions) => functions,
        Err((message, span)) => error(message, span),
    }
}

/// A reason for which an item cannot have the attribute, and its place.
type Failure = (&'static str, Span);

/// Returns `name` and `try_name`.
fn both(free: bool, item: TokenStream) -> Result<TokenStream, Failure> {
    let signature = Signature::parse(item)?;
    let docs = Docs::parse(&signature.docs)
        .ok_or(("`#[fallible]` needs a section `# Errors`", signature.name.span()))?;
    let (name, span) = (&signature.name, signature.name.span());
    let try_name = Ident::new(&format!("try_{name}"), span);

    // The call of `try_name`.
    let mut call = match signature.receiver {
        Some(_) if free => return Err(("a method is not `free`", span)),
        Some(ref receiver) => path(receiver, "."),
        None if free => TokenStream::new(),
        None => path(&Ident::new("Self", span), "::"),
    };
    let arguments = signature.arguments.iter().flat_map(|argument| path(argument, ","));
    call.extend([TokenTree::from(try_name.clone()), group(Delimiter::Parenthesis, arguments.collect())]);
    let mut body: TokenStream = "crate::error::unwrap_or_panic".parse().expect("this is a path");
    body.extend([group(Delimiter::Parenthesis, call)]);

    let mut result = docs.panicking.clone();
    result.extend(attribute("track_caller"));
    result.extend(signature.attributes_of_name.iter().chain(&signature.attributes).cloned());
    result.extend(signature.with(name, false, group(Delimiter::Brace, body)));
    result.extend(docs.fallible(&name.to_string(), free));
    result.extend(signature.attributes.iter().cloned());
    result.extend(signature.with(&try_name, true, signature.body.clone()));
    Ok(result)
}

/// Returns an identifier and the punctuation behind it.
fn path(name: &Ident, behind: &str) -> TokenStream {
    let mut path = TokenStream::from(TokenTree::from(name.clone()));
    path.extend(behind.parse::<TokenStream>().expect("this is punctuation"));
    path
}

fn group(delimiter: Delimiter, tokens: TokenStream) -> TokenTree {
    Group::new(delimiter, tokens).into()
}

/// Returns `#[text]`.
fn attribute(text: &str) -> TokenStream {
    format!("#[{text}]").parse().expect("this is an attribute")
}

/// Returns `compile_error!("message")`.
fn error(message: &str, span: Span) -> TokenStream {
    let mut message = Literal::string(message);
    message.set_span(span);
    let mut tokens: TokenStream = "::core::compile_error!".parse().expect("this is the name of a macro");
    tokens.extend([group(Delimiter::Brace, TokenTree::from(message).into())]);
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
