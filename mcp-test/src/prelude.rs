//! The imports of a test file: `use mcp_test::prelude::*;`.

pub use mcp_test_core::prelude::*;
#[cfg(feature = "explore")]
pub use mcp_test_suite::explore::ExploreExt;

#[cfg(feature = "cases")]
pub use crate::cases::RecordExt;
pub use crate::mcp_scenario;

/// Declares the trait of a method while its feature is disabled: calling the method is a compile error that names the feature.
#[cfg(not(all(feature = "explore", feature = "cases")))]
macro_rules! without_feature {
    ($module:ident: $trait:ident, $method:ident, $message:literal, $label:literal, $note:literal) => {
        #[doc(hidden)]
        pub use $module::$trait;

        mod $module {
            //! The trait of a method whose feature is disabled.

            use mcp_test_core::scenario::Ctx;

            /// What no type implements, so that a method with this bound cannot be called.
            #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
            pub trait NeedsFeature {
                /// Unknown, so that using it causes no further error.
                type Returned;
            }

            /// Takes the place of the trait of the same name that the feature has.
            pub trait $trait {
                /// Needs the feature.
                fn $method(&mut self, _name: &str) -> Self::Returned
                where
                    Self: NeedsFeature,
                {
                    unreachable!("`NeedsFeature` is never implemented")
                }
            }

            impl $trait for Ctx {}
        }
    };
}

#[cfg(not(feature = "explore"))]
without_feature!(
    without_explore: ExploreExt,
    explore_tool,
    "this needs the feature `explore` of `mcp-test`",
    "needs the feature `explore`",
    "to enable it: cargo add --dev mcp-test --features explore"
);

#[cfg(not(feature = "cases"))]
without_feature!(
    without_cases: RecordExt,
    record_cases,
    "this needs the feature `cases` of `mcp-test`",
    "needs the feature `cases`",
    "to enable it: cargo add --dev mcp-test --features cases"
);
