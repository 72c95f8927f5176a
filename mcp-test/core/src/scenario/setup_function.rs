//! The setup of a function under `#[mcp_scenario]`, which runs before anything is started, and the value that it makes.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::BoxError;
use crate::check::Finding;

/// What `setup = …` accepts: an `async fn() -> Result<T>`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a setup",
    label = "expected an `async fn() -> Result<T>`, where `T` is `Send`",
    note = "`setup` runs before the server or client is started, so that it has no context",
    note = "for a function that takes the context, `&mut Ctx` or `&mut ServerCtx`, write `setup_ctx = …`"
)]
pub trait SetupFunction<Arguments> {
    /// What it makes.
    type Value: Send + 'static;

    /// Calls it.
    fn start(self) -> SetupFuture;
}

/// A setup takes no arguments.
#[doc(hidden)]
#[derive(Debug)]
pub enum NoArguments {}

/// Stands for all other arguments, see [`NotASetup`].
#[doc(hidden)]
#[derive(Debug)]
pub enum OtherArguments {}

// Otherwise rustc would say which function trait is not implemented, instead of the message above.
#[diagnostic::do_not_recommend]
impl<F, Made, T, E> SetupFunction<NoArguments> for F
where
    F: FnOnce() -> Made + 'static,
    Made: Future<Output = Result<T, E>> + 'static,
    T: Send + 'static,
    E: Into<BoxError>,
{
    type Value = T;

    fn start(self) -> SetupFuture {
        Box::pin(async move {
            let value = self().await.map_err(Into::into)?;
            Ok(SetupValue(Some(Box::new(value))))
        })
    }
}

/// A trait that nothing implements: with only one implementation of [`SetupFunction`] that may apply, rustc would report the wrong
/// number of arguments instead of the message above.
#[doc(hidden)]
pub trait NotASetup {
    /// Never called.
    fn start(self) -> SetupFuture;
}

#[diagnostic::do_not_recommend]
impl<F: NotASetup> SetupFunction<OtherArguments> for F {
    type Value = ();

    fn start(self) -> SetupFuture {
        NotASetup::start(self)
    }
}

/// A setup that is running; not `Send`, since it stays on the thread of its test.
#[doc(hidden)]
pub type SetupFuture = Pin<Box<dyn Future<Output = Result<SetupValue, BoxError>>>>;

/// The value that a setup has made, if there is one. Its type is known only where the attribute expands, by the setup itself.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct SetupValue(Option<Box<dyn Any + Send>>);

impl SetupValue {
    /// What `make` makes of it; `None` if the setup has not run.
    pub fn give<A, S: SetupFunction<A>, R>(
        &self,
        setup: S,
        make: impl FnOnce(&S::Value) -> R,
    ) -> Option<R> {
        self.get(setup).ok().map(make)
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// If the setup has not run.
    pub fn get<A, S: SetupFunction<A>>(&self, _: S) -> Result<&S::Value, Finding> {
        self.0.as_ref().and_then(|value| value.downcast_ref()).ok_or_else(missing)
    }

    /// The value, to be changed.
    ///
    /// # Errors
    ///
    /// If the setup has not run.
    pub fn get_mut<A, S: SetupFunction<A>>(&mut self, _: S) -> Result<&mut S::Value, Finding> {
        self.0.as_mut().and_then(|value| value.downcast_mut()).ok_or_else(missing)
    }

    /// Takes the value out.
    ///
    /// # Errors
    ///
    /// If the setup has not run.
    pub fn take<A, S: SetupFunction<A>>(&mut self, _: S) -> Result<S::Value, Finding> {
        let value = self.0.take().and_then(|value| value.downcast().ok());
        value.map(|value| *value).ok_or_else(missing)
    }

    /// Drops the value.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

fn missing() -> Finding {
    Finding::harness("the value of the setup is missing")
}

/// The value of the setup of a run, which the context of that run shares with what makes the target.
#[doc(hidden)]
pub type SharedSetupValue = Arc<Mutex<SetupValue>>;

/// What a context knows about the setups of its test.
#[derive(Debug, Default)]
pub(super) struct Setups {
    pub(super) value: SharedSetupValue,
    pub(super) with_context: ContextSetup,
}

/// How far the setup with the context is, if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ContextSetup {
    /// There is none, or it has not connected.
    #[default]
    Silent,
    /// It is running.
    Running,
    /// It has ended, and has connected the client.
    Connected,
}

/// The value that a setup with the context has made, its error boxed.
///
/// # Errors
///
/// The error of the setup.
#[doc(hidden)]
pub fn value_of_setup<T, E: Into<BoxError>>(outcome: Result<T, E>) -> Result<T, BoxError> {
    outcome.map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn number() -> Result<u8, String> {
        Ok(7)
    }

    #[tokio::test]
    async fn a_value_has_the_type_of_its_setup() {
        let mut value = number.start().await.expect("it makes a value");
        assert_eq!(value.give(number, |number| number + 1), Some(8));
        *value.get_mut(number).expect("a value") += 2;
        assert_eq!(value.get(number).expect("a value"), &9);
        assert_eq!(value.take(number).expect("a value"), 9);
        let gone = value.get(number).expect_err("it was taken");
        assert_eq!(gone.headline, "the value of the setup is missing");
        assert_eq!(value.give(number, |number| *number), None);
    }

    #[tokio::test]
    async fn an_error_of_a_setup_is_boxed() {
        async fn fails() -> Result<u8, &'static str> {
            Err("why")
        }
        assert_eq!(fails.start().await.expect_err("it fails").to_string(), "why");
    }
}
