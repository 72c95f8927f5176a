//! Validates the signature: `async fn name(ctx: &mut Ctx) -> Result<()>`, perhaps with arguments after the context; the test of a
//! client has `server: &mut ServerCtx` as its context.
//!
//! The compiler checks the types, since it knows aliases and imports.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{FnArg, Ident, Pat, ReturnType, Safety, Signature, Type, TypeReference};

use crate::model::{Errors, ParsedOption};

const NO_GENERICS: &str = "a scenario cannot have generic parameters: nothing would determine them";

/// What a scenario tests, which decides about its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    Server,
    Client,
}

impl Tests {
    /// What these options say, even if some are invalid.
    pub(crate) fn of(written: &[ParsedOption]) -> Self {
        match written.iter().any(|option| option.name == "client") {
            true => Self::Client,
            false => Self::Server,
        }
    }

    /// The type of the context.
    pub(crate) const fn context(self) -> &'static str {
        match self {
            Self::Server => "Ctx",
            Self::Client => "ServerCtx",
        }
    }

    /// The usual name of the context.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Server => "ctx",
            Self::Client => "server",
        }
    }

    /// The argument as it is usually written.
    fn argument(self) -> String {
        format!("{}: &mut {}", self.name(), self.context())
    }
}

/// Reports everything that a scenario cannot have.
pub(super) fn validate(signature: &Signature, tests: Tests, errors: &mut Errors) {
    if let Some(constness) = &signature.constness {
        errors.at(constness, "a scenario cannot be `const`");
    }
    match &signature.safety {
        Safety::Unsafe(unsafety) => {
            errors
                .at(unsafety, "a scenario cannot be `unsafe`: put an `unsafe` block into its body");
        }
        Safety::Safe(safety) => errors.at(safety, "a scenario cannot be `safe`"),
        _ => {}
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "a scenario cannot be `extern`");
    }
    if signature.asyncness.is_none() {
        errors.at(&signature.fn_token, "a scenario must be asynchronous: `async fn`");
    }
    if !signature.generics.params.is_empty() {
        errors.at(&signature.generics, NO_GENERICS);
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.at(clause, NO_GENERICS);
    }
    arguments(signature, tests, errors);
    returned(signature, errors);
}

fn arguments(signature: &Signature, tests: Tests, errors: &mut Errors) {
    match signature.inputs.first() {
        Some(first) => argument(first, tests, errors),
        None => errors.push(syn::Error::new(
            signature.paren_token.span.join(),
            format!("a scenario takes its context: `{}`", tests.argument()),
        )),
    }
    // How many others there are is validated with the cases.
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a scenario cannot be variadic");
    }
}

fn argument(argument: &FnArg, tests: Tests, errors: &mut Errors) {
    let typed = match argument {
        FnArg::Typed(typed) => typed,
        FnArg::Receiver(receiver) => {
            errors.at(
                receiver,
                format!(
                    "a scenario is a free function, not a method: it takes `{}`",
                    tests.argument()
                ),
            );
            return;
        }
    };
    let plain = match &*typed.pat {
        Pat::Ident(name) => name.by_ref.is_none() && name.subpat.is_none(),
        Pat::Wild(_) => true,
        _ => false,
    };
    if !plain {
        let message = format!("a scenario's argument is a plain name: `{}`", tests.argument());
        errors.at(&typed.pat, message);
    }
    match bare(&typed.ty) {
        Type::Reference(reference) => borrow(reference, tests, errors),
        // A macro may expand to the right type; the compiler checks it.
        Type::Macro(_) => {}
        other => {
            let context = tests.context();
            errors.at(other, format!("a scenario borrows its context: `&mut {context}`"));
        }
    }
}

fn borrow(reference: &TypeReference, tests: Tests, errors: &mut Errors) {
    let context = tests.context();
    if reference.mutability.is_none() {
        errors.at(reference, format!("a scenario borrows its context mutably: `&mut {context}`"));
    }
    // Only by name, since the compiler reports other types.
    let is = |name| last_segment_of(&reference.elem).is_some_and(|ident| ident == name);
    match tests {
        Tests::Server if is("ServerCtx") => errors.at(
            &reference.elem,
            "`ServerCtx` is the context of a test of a client: add `client = my_client` to the options of \
             `#[mcp_scenario]`, or take `ctx: &mut Ctx` to test a server",
        ),
        Tests::Client if is("Ctx") => errors.at(
            &reference.elem,
            "with `client = …` a scenario tests a client, and its context is the server: `server: &mut ServerCtx`",
        ),
        Tests::Server | Tests::Client => {}
    }
    // A named lifetime would have to be declared, and `'static` outlives the run.
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident != "_") {
        let message =
            format!("the context is borrowed only for one run of the scenario: `&mut {context}`");
        errors.at(lifetime, message);
    }
}

fn returned(signature: &Signature, errors: &mut Errors) {
    match &signature.output {
        // The closing parenthesis is where the return type goes.
        ReturnType::Default => errors.push(syn::Error::new(
            signature.paren_token.span.close(),
            "a scenario returns a `Result`: add `-> Result<()>`",
        )),
        ReturnType::Type(_, ty) if is_unit(ty) => {
            errors.at(ty, "a scenario returns a `Result`: `-> Result<()>`");
        }
        ReturnType::Type(..) => {}
    }
}

/// The spans of the argument type and the return type, for the compiler's messages about them.
pub(super) fn spans(signature: &Signature) -> (Span, Span) {
    let context = match signature.inputs.first() {
        Some(FnArg::Typed(typed)) => typed.ty.span(),
        Some(FnArg::Receiver(_)) | None => signature.paren_token.span.join(),
    };
    let outcome = match &signature.output {
        ReturnType::Default => signature.paren_token.span.close(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    (context, outcome)
}

/// Whether a type is `()`.
pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Whether a type is `&mut …`.
pub(crate) fn borrows_mutably(ty: &Type) -> bool {
    matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some())
}

/// The last segment of the path of a type.
fn last_segment_of(ty: &Type) -> Option<&Ident> {
    match bare(ty) {
        Type::Path(path) => super::last_segment(&path.path),
        _ => None,
    }
}

/// A type without the parentheses around it, and without the invisible ones of a `macro_rules` variable.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}
