//! The imports of a test file: `use mcp_test::prelude::*;`.

pub use mcp_test_core::prelude::*;
#[cfg(feature = "explore")]
pub use mcp_test_suite::explore::ExploreExt;

pub use crate::mcp_scenario;

#[cfg(not(feature = "explore"))]
#[doc(hidden)]
pub use without_explore::ExploreExt;

#[cfg(not(feature = "explore"))]
mod without_explore {
    //! `ctx.explore_tool(…)` while the feature `explore` is disabled: calling it is a compile error that names the feature.

    use mcp_test_core::scenario::Ctx;

    /// What no type implements, so that a method with this bound cannot be called.
    #[diagnostic::on_unimplemented(
        message = "this needs the feature `explore` of `mcp-test`",
        label = "needs the feature `explore`",
        note = "to enable it: cargo add --dev mcp-test --features explore"
    )]
    pub trait NeedsExplore {
        /// Unknown, so that using it causes no further error.
        type Exploration;
    }

    /// Takes the place of the trait of the same name in the suite.
    pub trait ExploreExt {
        /// Needs the feature `explore`.
        fn explore_tool(&mut self, _name: &str) -> Self::Exploration
        where
            Self: NeedsExplore,
        {
            unreachable!("`NeedsExplore` is never implemented")
        }
    }

    impl ExploreExt for Ctx {}
}
