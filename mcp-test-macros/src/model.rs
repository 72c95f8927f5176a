//! What was written, and what it means once it is known to be right.

use std::time::Duration;

use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Path, Signature, Visibility, token};

/// One option of the attribute as it was written: `name` or `name = value`.
pub(crate) struct Written {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

/// The function under the attribute; its body is passed on unread, so that a half-typed one stays alive in an editor.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        if !input.peek(token::Brace) {
            return Err(input.error("expected a function body"));
        }
        Ok(Self { attributes, visibility, signature, body: input.parse()? })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attribute in &self.attributes {
            attribute.to_tokens(tokens);
        }
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

/// A scenario without mistakes.
pub(crate) struct Scenario<'a> {
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    /// Where the type of the argument stands.
    pub(crate) context_span: Span,
    /// Where the return type stands.
    pub(crate) outcome_span: Span,
    /// Why `#[ignore]`, empty without a reason.
    pub(crate) ignored: Option<String>,
    pub(crate) options: Options<'a>,
}

/// What the options of a scenario say.
#[derive(Default)]
pub(crate) struct Options<'a> {
    pub(crate) target: Option<&'a Expr>,
    /// Without spaces, its revisions known and its ranges not empty.
    pub(crate) revisions: Option<String>,
    pub(crate) transports: Vec<&'static str>,
    pub(crate) matrix: bool,
    pub(crate) allow_skip: bool,
    pub(crate) timeout: Option<Duration>,
}

/// Every mistake found so far, in the order of finding.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Keeps an error that carries its place.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Keeps an error at the tokens that are wrong.
    pub(crate) fn at(&mut self, tokens: &dyn ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().map(syn::Error::to_compile_error));
    }
}

#[cfg(test)]
impl Errors {
    /// One line for each error: the source it points at, then its message.
    pub(crate) fn lines(&self) -> String {
        let line = |error: &syn::Error| {
            let word = error.span().source_text().unwrap_or_default();
            format!("{word} -> {error}")
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
