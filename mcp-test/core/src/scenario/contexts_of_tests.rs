//! Which run of which test a context belongs to.

use super::{Ctx, RunOfTest, ServerCtx};

macro_rules! has_run_of_test {
    ($($context:ty),*) => {$(
        impl $context {
            /// Sets which run of which test it belongs to.
            #[doc(hidden)]
            pub fn set_run_of_test(&mut self, run: RunOfTest) {
                self.run_of_test = Some(run);
            }

            /// Which run of which test it belongs to; `None` if to none.
            #[doc(hidden)]
            #[must_use]
            pub fn run_of_test(&self) -> Option<&RunOfTest> {
                self.run_of_test.as_ref()
            }
        }
    )*};
}

has_run_of_test!(Ctx, ServerCtx);
