//! What `cases!` becomes: a registration, a `#[test]` for each case, and one that the files still hold these cases.
//!
//! Without the compiler's test harness the `#[test]`s disappear by themselves, and the registration is what remains. The
//! files are included in the crate only so that a change in one of them compiles it again.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::options::Contract;
use super::{File, Test};
use crate::expand::{at, duration, option};

/// The test that every case is a test.
pub(super) const IN_STEP: &str = "every_case_is_a_test";

/// The items that take the place of the macro.
pub(super) fn expand(contract: &Contract<'_>, files: &[File]) -> TokenStream {
    let krate = &contract.krate;
    let private = quote!(#krate::__private);
    let place = contract.pattern.span();
    // The place of the pattern, for the compiler's messages; not its hygiene, so that no name of the user's is shadowed.
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

/// A test that is made.
struct Made<'a> {
    module: Option<&'a str>,
    function: &'a str,
    ignored: Option<&'a str>,
    /// The file, and of that the case; none means all of them.
    file: usize,
    case: Option<usize>,
}

impl Made<'_> {
    /// Its name below the module of the pattern.
    fn name(&self) -> String {
        self.module
            .map_or_else(|| self.function.to_owned(), |it| format!("{it}::{}", self.function))
    }
}

/// The tests in their order: of a server each case that is wanted, of a client each file with such a case.
fn tests<'a>(contract: &Contract<'_>, files: &'a [File]) -> Vec<Made<'a>> {
    let mut made = Vec::new();
    for (file, File { cases, name, .. }) in files.iter().enumerate() {
        let wanted = || cases.iter().enumerate().filter(|(_, test)| test.wanted);
        if contract.client.is_some() {
            let shown = wanted().any(|(_, test)| test.ignored.is_none());
            if shown {
                made.push(Made { module: None, function: name, ignored: None, file, case: None });
            }
            continue;
        }
        made.extend(wanted().map(|(case, test)| {
            let Test { module, function, ignored, .. } = test;
            let (module, ignored) = (module.as_deref(), ignored.as_deref());
            Made { module, function, ignored, file, case: Some(case) }
        }));
    }
    made
}

/// The definition's value; everything in it has an absolute path.
fn value(
    contract: &Contract<'_>,
    files: &[File],
    tests: &[Made<'_>],
    private: &TokenStream,
) -> TokenStream {
    let (pattern, name) = (contract.pattern, &contract.module);
    let (line, column) = (at(pattern.span(), "line"), at(pattern.span(), "column"));
    let files = files.iter().map(|File { path, cases, .. }| {
        let titles = cases.iter().map(|test| option(test.title.as_ref().map(|it| quote!(#it))));
        quote!(#private::CasesFile { path: #path, titles: &[#(#titles),*] })
    });
    let tests = tests.iter().map(|test| {
        let (name, file) = (test.name(), Literal::usize_unsuffixed(test.file));
        let case = option(test.case.map(|case| {
            let case = Literal::usize_unsuffixed(case);
            quote!(#case)
        }));
        let ignored = option(test.ignored.map(|reason| quote!(#reason)));
        quote!(#private::CaseTest { name: #name, file: #file, case: #case, ignored: #ignored })
    });
    let target = contract.target.map(
        |target| quote!(#private::CasesPeer::Server(|| #private::IntoTarget::into_target(#target))),
    );
    let client = contract.client.map(
        |client| quote!(#private::CasesPeer::Client(|| #private::IntoClientTarget::into_client_target(#client))),
    );
    let peer = option(target.or(client));
    let revisions = option(contract.revisions.as_ref().map(|text| quote!(#text)));
    let transports = &contract.transports;
    let (tags, skip_tags) = (&contract.tags, &contract.skip_tags);
    let timeout = option(contract.timeout.map(duration));
    let baseline = option(contract.baseline.as_ref().map(|path| quote!(#path)));
    let inputs = option(contract.inputs.map(|inputs| quote!(|| #private::case_inputs(#inputs))));
    let given =
        option(contract.given.map(|given| quote!(|| #private::IntoGiven::into_given(#given))));
    let (allow_commands, allow_skip) = (contract.allow_commands, contract.allow_skip);
    let strict = contract.strict;
    quote! {
        #private::UserCases {
            pattern: #pattern,
            name: #name,
            module_path: ::core::module_path!(),
            file: ::core::file!(),
            line: #line,
            column: #column,
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
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

/// The modules with the `#[test]`s.
fn modules(contract: &Contract<'_>, tests: &[Made<'_>], run: &Ident, place: Span) -> TokenStream {
    // A name of the user's: what clashes with it is told at the pattern.
    let shown = |name: &str| Ident::new(name, Span::call_site().located_at(place));
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
    let (outer, in_step) = (shown(&contract.module), shown(IN_STEP));
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
