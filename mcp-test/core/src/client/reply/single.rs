//! Typed wrappers for replies of one method, to which `assert` adds its assertions.

use std::ops::Deref;

use super::Reply;

macro_rules! single {
    ($name:ident, $method:literal, $page:literal) => {
        #[doc = concat!("The reply to `", $method, "`.")]
        #[doc = ""]
        #[doc = concat!("<https://modelcontextprotocol.io/specification/2025-11-25/", $page, ">")]
        #[must_use = "an unexamined reply proves nothing"]
        #[derive(Debug, Clone)]
        pub struct $name {
            reply: Reply,
        }

        impl From<Reply> for $name {
            fn from(reply: Reply) -> Self {
                Self { reply }
            }
        }

        impl Deref for $name {
            type Target = Reply;

            fn deref(&self) -> &Reply {
                &self.reply
            }
        }

        impl $name {
            /// The untyped reply.
            pub fn reply(&self) -> &Reply {
                &self.reply
            }

            /// Converts into the untyped reply.
            pub fn into_reply(self) -> Reply {
                self.reply
            }
        }
    };
}

single!(ToolResult, "tools/call", "server/tools#calling-tools");
single!(ResourceContents, "resources/read", "server/resources#reading-resources");
single!(PromptMessages, "prompts/get", "server/prompts#getting-a-prompt");
single!(Completion, "completion/complete", "server/utilities/completion#requesting-completions");
