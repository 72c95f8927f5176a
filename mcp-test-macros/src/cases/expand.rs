//! Expands `cases!` to a registration, a `#[test]` for each case, and one that checks that the files still have these cases.
//!
//! Without the compiler's test harness the `#[test]`s disappear, and the registration remains. The files are included in the
//! crate only so that a change in one of them recompiles it.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::options::{Contract, Options};
use super::{File, Test};
use crate::expand::{call_site, duration, option};

/// The name of the test that every case is a test: the compiler does not notice a new file.
pub(super) const COMPLETENESS_TEST: &str = "every_case_is_a_test";

/// The items that take the place of the macro.
pub(super) fn expand(contract: &Contract<'_>, files: &[File]) -> TokenStream {
    let krate = &contract.krate;
    let private = quote!(#krate::__private);
    let place = contract.pattern.span();
    // The span of the pattern, for the compiler's messages; not its hygiene, so that no name of the user is shadowed.
    let own = Span::mixed_site().located_at(place);
    let definition = format_ident!("__mcp_cases_{}", contract.module, span = own);
    let run = format_ident!("__mcp_run_{}", contract.module, span = own);
    let tests = tests(contract, files);
    let value = value(contract, files, &tests, &private);
    let modules = modules(contract, &tests, &run, place);
    let included = files.iter().map(|file| {
        let path = format!("/{}", file.path);
        quote! {
            const _: &[::core::primitive::u8] = ::core::include_bytes!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #path)
            );
        }
    });
    quote_spanned! {own=>
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        static #definition: #private::UserCases = #value;

        #private::inventory::submit! { #private::RegisteredCases(&#definition) }

        #[doc(hidden)]
        #[allow(dead_code, non_snake_case)]
        fn #run(test: ::core::option::Option<::core::primitive::usize>) {
            #private::run_case(&#definition, test);
        }

        #(#included)*

        #modules
    }
}

/// A `#[test]` of the expansion.
struct TestItem<'a> {
    module: Option<&'a str>,
    function: &'a str,
    ignored: Option<&'a str>,
    /// The file, and the case in it; `None` for all of them.
    file: usize,
    case: Option<usize>,
}

impl TestItem<'_> {
    /// Its name below the module of the pattern.
    fn name(&self) -> String {
        self.module
            .map_or_else(|| self.function.to_owned(), |it| format!("{it}::{}", self.function))
    }

    /// Its value in the definition.
    fn definition(&self, private: &TokenStream) -> TokenStream {
        let number = |number: usize| Literal::usize_unsuffixed(number);
        let (name, file) = (self.name(), number(self.file));
        let case = option(self.case.map(number).map(|case| quote!(#case)));
        let ignored = option(self.ignored.map(|reason| quote!(#reason)));
        quote!(#private::CaseTest { name: #name, file: #file, case: #case, ignored: #ignored })
    }
}

/// The tests in order: for a server each selected case, for a client each file with a selected case.
fn tests<'a>(contract: &Contract<'_>, files: &'a [File]) -> Vec<TestItem<'a>> {
    let mut tests = Vec::new();
    for (file, File { cases, name, .. }) in files.iter().enumerate() {
        let wanted = || cases.iter().enumerate().filter(|(_, test)| test.wanted);
        if contract.options.client.is_some() {
            // A file whose cases are all skipped demands nothing of a client.
            let shown = wanted().any(|(_, test)| test.ignored.is_none());
            if shown {
                tests.push(TestItem {
                    module: None,
                    function: name,
                    ignored: None,
                    file,
                    case: None,
                });
            }
            continue;
        }
        tests.extend(wanted().map(|(case, test)| {
            let Test { module, function, ignored, .. } = test;
            let (module, ignored) = (module.as_deref(), ignored.as_deref());
            TestItem { module, function, ignored, file, case: Some(case) }
        }));
    }
    tests
}

/// The definition's value; everything in it has an absolute path, because the user's names are in scope.
fn value(
    contract: &Contract<'_>,
    files: &[File],
    tests: &[TestItem<'_>],
    private: &TokenStream,
) -> TokenStream {
    let Contract { pattern, module: name, options, .. } = contract;
    let site = call_site(pattern.span(), private);
    // The titles show at run time whether a file has changed since it was compiled.
    let files = files.iter().map(|File { path, cases, .. }| {
        let titles = cases.iter().map(|test| option(test.title.as_ref().map(|it| quote!(#it))));
        quote!(#private::CasesFile { path: #path, titles: &[#(#titles),*] })
    });
    let tests = tests.iter().map(|test| test.definition(private));
    let Options { transports, tags, skip_tags, .. } = options;
    let Options { allow_commands, allow_skip, strict, .. } = options;
    let peer = option(peer(options, private));
    let revisions = option(options.revisions.as_ref().map(|text| quote!(#text)));
    let timeout = option(options.timeout.map(duration));
    let baseline = option(options.baseline.as_ref().map(|path| quote!(#path)));
    let inputs = option(options.inputs.map(|inputs| quote!(|| #private::case_inputs(#inputs))));
    let given =
        option(options.given.map(|given| quote!(|| #private::IntoGiven::into_given(#given))));
    quote! {
        #private::UserCases {
            pattern: #pattern,
            name: #name,
            site: #site,
            files: &[#(#files),*],
            tests: &[#(#tests),*],
            peer: #peer,
            revisions: #revisions,
            transports: &[#(#transports),*],
            timeout: #timeout,
            baseline: #baseline,
            tags: &[#(#tags),*],
            skip_tags: &[#(#skip_tags),*],
            inputs: #inputs,
            given: #given,
            allow_commands: #allow_commands,
            allow_skip: #allow_skip,
            strict: #strict,
        }
    }
}

/// The server or the client under test, if the options name one.
fn peer(options: &Options<'_>, private: &TokenStream) -> Option<TokenStream> {
    let server = options.target.map(
        |target| quote!(#private::CasesPeer::Server(|| #private::IntoTarget::into_target(#target))),
    );
    let client = options.client.map(
        |client| quote!(#private::CasesPeer::Client(|| #private::IntoClientTarget::into_client_target(#client))),
    );
    server.or(client)
}

/// The modules with the `#[test]`s.
fn modules(
    contract: &Contract<'_>,
    tests: &[TestItem<'_>],
    run: &Ident,
    place: Span,
) -> TokenStream {
    // With the user's span, a name clash is reported at the pattern.
    let shown = |name: &str| Ident::new(name, Span::call_site().located_at(place));
    // By module, because a module can only be declared once; the tests without one come first.
    let mut modules: BTreeMap<Option<&str>, Vec<TokenStream>> = BTreeMap::new();
    for (index, test) in tests.iter().enumerate() {
        let name = shown(test.function);
        let ignored = test.ignored.map(|reason| match reason {
            "" => quote!(#[ignore]),
            reason => quote!(#[ignore = #reason]),
        });
        let path = if test.module.is_some() { quote!(super::super) } else { quote!(super) };
        let index = Literal::usize_unsuffixed(index);
        modules.entry(test.module).or_default().push(quote! {
            #[::core::prelude::v1::test]
            #ignored
            fn #name() {
                #path::#run(::core::option::Option::Some(#index));
            }
        });
    }
    let inner = modules.into_iter().map(|(module, tests)| match module {
        None => quote!(#(#tests)*),
        Some(module) => {
            let module = shown(module);
            quote!(mod #module { #(#tests)* })
        }
    });
    let (outer, in_step) = (shown(&contract.module), shown(COMPLETENESS_TEST));
    quote! {
        mod #outer {
            #(#inner)*

            #[::core::prelude::v1::test]
            fn #in_step() {
                super::#run(::core::option::Option::None);
            }
        }
    }
}
