//! What the contexts of a test know about its setups.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use super::setup_function::{ContextSetup, SetupValue, SharedSetupValue};
use super::{Ctx, ServerCtx};

macro_rules! context_with_setups {
    ($context:ty, $is_connected:expr) => {
        impl $context {
            /// Sets the value of the setup of this run.
            #[doc(hidden)]
            pub fn set_setup_value(&mut self, value: SharedSetupValue) {
                self.setups.value = value;
            }

            /// The value of the setup of this run.
            #[doc(hidden)]
            pub async fn setup_value(&self) -> OwnedMutexGuard<SetupValue> {
                Arc::clone(&self.setups.value).lock_owned().await
            }

            /// Notes that the setup with the context begins.
            #[doc(hidden)]
            pub fn begin_setup(&mut self) {
                self.setups.with_context = ContextSetup::Running;
            }

            /// Notes that the setup with the context has ended.
            #[doc(hidden)]
            pub fn end_setup(&mut self) {
                let is_connected: fn(&Self) -> bool = $is_connected;
                self.setups.with_context = match is_connected(self) {
                    true => ContextSetup::Connected,
                    false => ContextSetup::Silent,
                };
            }

            /// Whether the setup with the context is running.
            pub(crate) fn is_in_setup(&self) -> bool {
                self.setups.with_context == ContextSetup::Running
            }
        }
    };
}

context_with_setups!(Ctx, |ctx| ctx.client.is_some());
// The server of a test of a client serves any client that connects.
context_with_setups!(ServerCtx, |_| false);
