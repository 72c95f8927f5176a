//! What `mcp_test::target!` registers: the target of every scenario of a test binary that names none of its own.

use super::CallSite;
use crate::transport::Target;

/// What `mcp_test::target!` registers.
#[derive(Debug)]
pub struct DefaultTarget {
    /// Makes the target.
    pub make: fn() -> Target,
    /// Where the `target!` is.
    pub site: CallSite,
}

inventory::collect!(DefaultTarget);

/// A test binary with more than one `mcp_test::target!`.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
#[error(
    "this test binary has more than one `mcp_test::target!`: {}. \
     Keep one, and give the scenarios that need another `#[mcp_scenario(target = …)]`",
    places(.0)
)]
pub struct SeveralDefaultTargets(Vec<&'static DefaultTarget>);

fn places(targets: &[&DefaultTarget]) -> String {
    let places: Vec<String> = targets.iter().map(|target| format!("at {}", target.site)).collect();
    places.join(" and ")
}

/// The default target of this test binary, if it has a `mcp_test::target!`.
///
/// # Errors
///
/// If there are several: nothing says which one is meant.
#[doc(hidden)]
pub fn default_target() -> Result<Option<&'static DefaultTarget>, SeveralDefaultTargets> {
    only(inventory::iter::<DefaultTarget>.into_iter().collect())
}

fn only(
    mut targets: Vec<&'static DefaultTarget>,
) -> Result<Option<&'static DefaultTarget>, SeveralDefaultTargets> {
    if targets.len() > 1 {
        // `inventory` has no defined order.
        targets.sort_by_key(|DefaultTarget { site, .. }| (site.file, site.line, site.column));
        return Err(SeveralDefaultTargets(targets));
    }
    Ok(targets.pop())
}

/// What `target = …` and `target!(…)` accept: a [`Target`], or a function or closure that makes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a target",
    label = "expected a `Target`, or a function without arguments that returns one"
)]
pub trait IntoTarget {
    /// The target.
    fn into_target(self) -> Target;
}

// Otherwise rustc suggests these impls instead of the message above.
#[diagnostic::do_not_recommend]
impl IntoTarget for Target {
    fn into_target(self) -> Target {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: FnOnce() -> Target> IntoTarget for F {
    fn into_target(self) -> Target {
        self()
    }
}

/// Registers the default target of this test binary: that of every scenario that names none of its own.
///
/// Takes a [`Target`](crate::transport::Target), or a function or closure that makes one. It is evaluated again
/// for every scenario run. A test binary has at most one.
///
/// `target!(my_server, known = ["transport.http.event-id-unique"])` also names requirements that the server is known to break;
/// [`Target::known`](crate::transport::Target::known) says what that means.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::prelude::*;
/// use mcp_test::server::Server;
///
/// mcp_test::target!(my_server);
///
/// fn my_server() -> Target {
///     Target::duplex(|io| async move {
///         let server = Server::new(json!({"name": "calculator", "version": "1.0.0"}));
///         Ok(server.serve(io).await?)
///     })
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! target {
    ($target:expr $(, known = [$($known:expr),* $(,)?])? $(,)?) => {
        $crate::__private::inventory::submit! {
            $crate::__private::DefaultTarget {
                make: || {
                    $crate::__private::IntoTarget::into_target($target)
                        $(.known([$($crate::__private::KnownViolation::from($known)),*]))?
                },
                site: $crate::__private::call_site!(),
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::call_site;

    #[test]
    fn two_default_targets_are_an_error_that_names_both_places() {
        static TARGETS: [DefaultTarget; 2] = [at(20), at(3)];
        const fn at(line: u32) -> DefaultTarget {
            DefaultTarget { make: || unreachable!(), site: call_site("calculator", line) }
        }
        let one = only(vec![&TARGETS[0]]).expect("one is allowed").expect("the one");
        assert_eq!(one.site.line, 20);
        assert!(only(Vec::new()).expect("none is allowed").is_none());
        let several = only(TARGETS.iter().collect()).expect_err("two are an error");
        insta::assert_snapshot!(several, @"this test binary has more than one `mcp_test::target!`: at tests/calculator.rs:3:10 and at tests/calculator.rs:20:10. Keep one, and give the scenarios that need another `#[mcp_scenario(target = …)]`");
    }
}
