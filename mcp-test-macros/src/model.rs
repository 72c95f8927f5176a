//! The parsed attribute and function, and the validated scenario.

use std::time::Duration;

use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, ExprCall, Ident, LitStr, Path, Signature, Visibility, token};

/// One option as it was parsed, not yet validated: `name` or `name = value`. A case has itself as its value.
pub(crate) struct ParsedOption {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

/// The function under the attribute; its body is not parsed, so that editors still work in an incomplete one.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // Not `syn::ItemFn`, which parses the body, and fails on one that is not complete.
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
        self.attributes.iter().for_each(|attribute| attribute.to_tokens(tokens));
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

/// A valid scenario.
pub(crate) struct Scenario<'a> {
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    /// The span of the argument type, where the compiler reports that it is wrong.
    pub(crate) context_span: Span,
    /// The span of the return type, for the same reason.
    pub(crate) outcome_span: Span,
    /// The reason of `#[ignore]`, empty without one.
    pub(crate) ignored: Option<String>,
    /// Whether the values of its setups are its arguments after the context.
    pub(crate) takes_values: bool,
    pub(crate) options: Options<'a>,
}

/// The options of a scenario.
#[derive(Default)]
pub(crate) struct Options<'a> {
    pub(crate) target: Option<&'a Expr>,
    /// The client to test instead of a server.
    pub(crate) client: Option<&'a Expr>,
    /// Without spaces, its revisions known and its ranges not empty.
    pub(crate) revisions: Option<String>,
    pub(crate) transports: Vec<&'static str>,
    pub(crate) matrix: bool,
    pub(crate) allow_skip: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) known: Vec<Known<'a>>,
    /// What runs before anything is started.
    pub(crate) setup: Option<&'a Expr>,
    /// What runs before the function, with its context.
    pub(crate) setup_ctx: Option<&'a Expr>,
    /// What runs after it.
    pub(crate) teardown: Option<&'a Expr>,
    pub(crate) cases: Vec<Case<'a>>,
}

/// A requirement that the peer is known to break; its id exists.
pub(crate) struct Known<'a> {
    pub(crate) id: &'a LitStr,
    pub(crate) reason: Option<&'a LitStr>,
    pub(crate) link: Option<&'a LitStr>,
}

/// A case of a parametrised scenario.
pub(crate) struct Case<'a> {
    /// The last part of the name of its test.
    pub(crate) name: Ident,
    /// Its arguments, as they were written: `case(1, 2)`.
    pub(crate) call: &'a ExprCall,
}

/// All errors so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds an error with its own span.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Adds an error at the tokens that are wrong.
    pub(crate) fn at(&mut self, tokens: &dyn ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Whether there are no errors.
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
