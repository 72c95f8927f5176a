//! Expands what a scenario tests, and the calls of its functions.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Type};

use super::option;
use crate::model::{Case, Options, Scenario};
use crate::validate::options::setup_argument;

/// What the scenario tests, and its functions.
pub(super) fn body(
    scenario: &Scenario<'_>,
    case: Option<&Case<'_>>,
    private: &TokenStream,
) -> TokenStream {
    let options = &scenario.options;
    let run = run(scenario, case, private);
    let teardown = option(options.teardown.map(|teardown| run_teardown(teardown, private)));
    if let Some(client) = options.client {
        let into = quote!(#private::IntoClientTarget::into_client_target);
        let client = maker(client, &into, options, private);
        return quote! {
            #private::UserBody::Client {
                client: #client,
                run: #run,
                teardown: #teardown,
            }
        };
    }
    let into = quote!(#private::IntoTarget::into_target);
    let target = option(options.target.map(|target| maker(target, &into, options, private)));
    quote! {
        #private::UserBody::Server {
            target: #target,
            run: #run,
            teardown: #teardown,
        }
    }
}

/// What makes a target or client: by itself, or with the value of the setup.
fn maker(
    made: &Expr,
    into: &TokenStream,
    options: &Options<'_>,
    private: &TokenStream,
) -> TokenStream {
    let Some(setup) = options.setup.filter(|_| setup_argument(made).is_some()) else {
        return quote!(#private::Maker::Alone(|| #into(#made)));
    };
    let [value, given] = ["value", "given"].map(|name| Ident::new(name, Span::mixed_site()));
    // The attribute needs the closure that the lints would remove: it decides by its argument.
    quote! {
        #private::Maker::WithSetup(|#value| {
            #[allow(clippy::redundant_closure, clippy::redundant_closure_for_method_calls)]
            let #given = #value.give(#setup, #made);
            #given.map(#into)
        })
    }
}

/// A call of the function after its setup with the context; a wrong argument or return type is an error at that type.
fn run(scenario: &Scenario<'_>, case: Option<&Case<'_>>, private: &TokenStream) -> TokenStream {
    let signature = &scenario.function.signature;
    let name = &signature.ident;
    // Each with the span of its type, where the compiler then reports a mismatch, but invisible to the user's code.
    let context = Ident::new("context", Span::mixed_site().located_at(scenario.context_span));
    let outcome = Ident::new("outcome", Span::mixed_site().located_at(scenario.outcome_span));
    let mut takers = signature.inputs.iter().skip(1).filter(|_| scenario.takes_values);
    let (mut before, mut values) = (TokenStream::new(), Vec::new());
    if let Some(setup) = scenario.options.setup
        && let Some(taker) = takers.next()
    {
        let made = Ident::new("made", Span::mixed_site());
        let (value, how) = (value_for(taker, "value"), Borrow::of(taker));
        let method = Ident::new(how.method(), setup.span());
        let taken = quote_spanned!(setup.span()=> #made.#method(#setup)?);
        let mutable = how.needs_mut_value().then(|| quote!(mut));
        before.extend(quote!(let #mutable #made = #context.setup_value().await;));
        before.extend(quote!(let #value = #taken;));
        values.push(value.to_token_stream());
    }
    if let Some(setup) = scenario.options.setup_ctx {
        let made = quote_spanned!(setup.span()=> #private::value_of_setup(#setup(#context).await)?);
        // It lives until the function has ended, even if that does not take it.
        let mut binding = quote!(_unused);
        if let Some(taker) = takers.next() {
            let (value, how) = (value_for(taker, "value_with_context"), Borrow::of(taker));
            binding = how.binding(&value);
            values.push(how.argument(&value));
        }
        before.extend(quote! {
            #context.begin_setup();
            let #binding = #made;
            #context.end_setup();
        });
    }
    let of_case = case.iter().flat_map(|case| &case.call.args).map(ToTokens::to_token_stream);
    let arguments = [context.to_token_stream()].into_iter().chain(values).chain(of_case);
    quote! {
        |#context| ::std::boxed::Box::pin(async move {
            #before
            let #outcome = #name(#(#arguments),*).await;
            #private::ScenarioOutcome::into_outcome(#outcome)
        })
    }
}

/// The name of a value that an argument of the function takes, at the type of the argument.
fn value_for(taker: &FnArg, name: &str) -> Ident {
    let place = match taker {
        FnArg::Typed(argument) => argument.ty.span(),
        FnArg::Receiver(receiver) => receiver.span(),
    };
    Ident::new(name, Span::mixed_site().located_at(place))
}

/// How an argument takes a value.
#[derive(Clone, Copy)]
enum Borrow {
    Owned,
    Shared,
    Mutable,
}

impl Borrow {
    fn of(taker: &FnArg) -> Self {
        let FnArg::Typed(argument) = taker else { return Self::Owned };
        match &*argument.ty {
            Type::Reference(it) if it.mutability.is_some() => Self::Mutable,
            Type::Reference(_) => Self::Shared,
            _ => Self::Owned,
        }
    }

    /// The method of `SetupValue` for it.
    fn method(self) -> &'static str {
        match self {
            Self::Owned => "take",
            Self::Shared => "get",
            Self::Mutable => "get_mut",
        }
    }

    /// Whether the method changes the `SetupValue`.
    fn needs_mut_value(self) -> bool {
        !matches!(self, Self::Shared)
    }

    /// The binding of a local value.
    fn binding(self, value: &Ident) -> TokenStream {
        match self {
            Self::Owned | Self::Shared => quote!(#value),
            Self::Mutable => quote!(mut #value),
        }
    }

    /// The argument, of a local value.
    fn argument(self, value: &Ident) -> TokenStream {
        match self {
            Self::Owned => quote!(#value),
            Self::Shared => quote!(&#value),
            Self::Mutable => quote!(&mut #value),
        }
    }
}

/// A call of the teardown.
fn run_teardown(teardown: &Expr, private: &TokenStream) -> TokenStream {
    let context = Ident::new("context", Span::mixed_site());
    let ended = quote_spanned!(teardown.span()=> #private::ScenarioOutcome::into_outcome(#teardown(#context).await));
    quote!(|#context| ::std::boxed::Box::pin(async move { #ended }))
}
