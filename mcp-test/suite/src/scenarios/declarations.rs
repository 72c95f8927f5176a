//! The macros that declare scenarios in folders and in tables, and the sources that they cite. `scenario!` declares one.

/// Declares a module per scenario and lists the scenarios, so that none can be forgotten.
///
/// `name` is a file with one scenario, `name::{one, other}` a file with the table of these.
macro_rules! scenarios {
    ($($name:ident $(:: { $($row:ident),+ $(,)? })?),+ $(,)?) => {
        $(pub mod $name;)+

        /// The scenarios of this module, in the order of reports.
        pub(in crate::scenarios) static ALL: &[&mcp_test_core::scenario::Scenario] =
            scenarios!(@listed [] $($name [$($($row),+)?])+);
    };
    (@listed [$($listed:tt)*]) => { &[$($listed)*] };
    (@listed [$($listed:tt)*] $name:ident [] $($rest:tt)*) => {
        scenarios!(@listed [$($listed)* &$name::SCENARIO,] $($rest)*)
    };
    (@listed [$($listed:tt)*] $name:ident [$($row:ident),+] $($rest:tt)*) => {
        scenarios!(@listed [$($listed)* $(&$name::$row::SCENARIO,)+] $($rest)*)
    };
}

/// Declares scenarios for clients that differ by little, in one file: what `scenario!` gets for all of them, and for each the rest of
/// that, what is served, how it is judged, and the proofs.
macro_rules! client_scenarios {
    (all: $common:tt $($name:ident { $($row:tt)* })+) => {
        $(#[doc = concat!("The scenario `", stringify!($name), "`.")]
        pub mod $name {
            use super::*;

            client_scenarios!(@row $common $($row)*);
        })+
    };
    (
        @row { $($common:tt)* }
        $(#[doc = $doc:literal])+
        $id:literal: $title:literal,
        checks: $checks:expr,
        serve: |$test:ident| $serve:expr,
        judge: |$judging:ident| $judge:expr,
        proofs: { $($proofs:tt)* } $(,)?
    ) => {
        scenario! {
            $(#[doc = $doc])+
            Client $id: $title,
            $($common)*
            checks: $checks,
        }

        fn serve($test: &ClientTest) -> Result<Server, Finding> {
            $serve
        }

        fn judge($judging: &mut Judging) -> Result<(), Finding> {
            $judge
        }

        proofs! { $($proofs)* }
    };
}

/// Declares the sources that official reports cite.
macro_rules! references {
    ($($name:ident = $id:literal, $url:literal;)+) => {
        $(pub(super) const $name: mcp_test_core::scenario::Reference =
            mcp_test_core::scenario::Reference { id: $id, url: $url };)+
    };
}
