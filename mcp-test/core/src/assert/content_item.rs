//! Assertions about one item of content: of a tool result, a prompt message, or the contents of a resource.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::reply::{Replied, member};
use super::text::{got_which, quoted, which_differs};
use super::{Asserted, Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::client::{PromptMessages, ResourceContents, ToolResult};
use crate::expect::{Matcher, words};
use crate::json::Value;

/// One item of content; [`ContentAssert::and`] returns to the reply.
#[derive(Debug, Clone)]
pub struct ContentAssert<T> {
    reply: T,
    index: usize,
    item: Value,
    /// Who says it, in the message of a prompt.
    role: Option<Value>,
}

/// One content item of a [`ToolResult`].
pub type ToolContent = ContentAssert<ToolResult>;
/// One message of [`PromptMessages`].
pub type PromptContent = ContentAssert<PromptMessages>;
/// One entry of [`ResourceContents`].
pub type ResourceContent = ContentAssert<ResourceContents>;

/// The index of an item, the item, and the role that says it.
pub(super) type Indexed = (usize, Value, Option<Value>);

impl<T> ContentAssert<T> {
    pub(super) fn new(reply: T, (index, item, role): Indexed) -> Self {
        Self { reply, index, item, role }
    }

    /// Returns to the reply.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let samples = ctx.call("show_samples").await?.assert_ok();
    /// samples.assert_content(0).assert_text("a pixel").and().assert_content(1).assert_mime_type("image/png");
    /// # Ok(())
    /// # }
    /// ```
    pub fn and(self) -> Asserted<T> {
        Asserted(self.reply)
    }

    /// The item as the server sent it.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.item
    }

    /// A member of the item, or of the resource that it embeds.
    fn part(&self, name: &str) -> Option<&Value> {
        self.item.get(name).or_else(|| self.item.get("resource")?.get(name))
    }
}

impl<T: Replied> ContentAssert<T> {
    fn unexpected(&self) -> Finding {
        let evidence = self.reply.replies().iter().flat_map(crate::client::Reply::evidence);
        Finding::peer(format!("content {} is not as expected", self.index)).evidence_all(evidence)
    }

    fn check_part(&self, name: &str, expected: &str) -> Result<(), Finding> {
        let value = self.part(name);
        let got = value.and_then(Value::as_str);
        if got == Some(expected) {
            return Ok(());
        }
        let which = got.and_then(|got| which_differs(expected, got));
        Err(self
            .unexpected()
            .expected(format!("`{name}` is {}", quoted(expected)))
            .got(got_which(&words::got(value), which)))
    }

    fn check_text_contains(&self, part: &str) -> Result<(), Finding> {
        let value = self.part("text");
        if value.and_then(Value::as_str).is_some_and(|text| text.contains(part)) {
            return Ok(());
        }
        Err(self
            .unexpected()
            .expected(format!("a text that contains {}", quoted(part)))
            .got(words::got(value)))
    }

    fn check_data(&self, expected: &[u8]) -> Result<(), Finding> {
        // What MCP calls `data` in images and audio is the `blob` of a resource.
        let value = self.part("data").or_else(|| self.part("blob"));
        let expected_bytes = words::count(expected.len(), "byte");
        let finding = || self.unexpected().expected(format!("{expected_bytes} of data"));
        let Some(text) = value.and_then(Value::as_str) else {
            return Err(finding().got(words::got(value)));
        };
        let Ok(got) = STANDARD.decode(text) else {
            return Err(finding().got(format!("{}, which is not Base64", quoted(text))));
        };
        let same = got.iter().zip(expected).take_while(|(got, wanted)| got == wanted).count();
        if same == got.len() && same == expected.len() {
            return Ok(());
        }
        let got = words::count(got.len(), "byte");
        Err(finding().got(format!("{got}, which differ from byte {same} on, counted from 0")))
    }

    fn check_role(&self, expected: &str) -> Result<(), Finding> {
        if self.role.as_ref().and_then(Value::as_str) == Some(expected) {
            return Ok(());
        }
        Err(self
            .unexpected()
            .expected(format!("the role {}", quoted(expected)))
            .got(words::got(self.role.as_ref())))
    }

    fn check_member(&self, pointer: &str, matcher: &dyn Matcher) -> Result<(), Finding> {
        member(&self.item, pointer, matcher, self.unexpected().headline)
            .map_err(|finding| finding.evidence_all(self.unexpected().evidence))
    }
}

impl<T: Replied> Staged for ContentAssert<T> {
    fn scene(&self) -> Scene<'_> {
        self.reply.scene()
    }
}

macro_rules! content_item_assertions {
    ($($subject:ty),*) => { $(
        plain_assertions! { [] $subject {
            /// Asserts that the text is exactly this; of an embedded resource, its text.
            assert_text / try_text (self, text: &str) { self.check_part("text", text) }

            /// Asserts that the text contains this text.
            assert_text_contains / try_text_contains (self, part: &str) { self.check_text_contains(part) }

            /// Asserts the MIME type.
            assert_mime_type / try_mime_type (self, mime_type: &str) { self.check_part("mimeType", mime_type) }

            /// Asserts the decoded data of an image, audio, or resource.
            assert_data / try_data (self, bytes: impl AsRef<[u8]>) { self.check_data(bytes.as_ref()) }

            /// Asserts the URI of a resource or of a link to one.
            assert_uri / try_uri (self, uri: &str) { self.check_part("uri", uri) }

            /// Asserts that the value at a JSON pointer of the item matches.
            assert_member / try_member (self, pointer: &str, matcher: impl Matcher) {
                self.check_member(pointer, &matcher)
            }
        }}
    )* };
}

content_item_assertions!(ToolContent, PromptContent, ResourceContent);

macro_rules! content_block_assertions {
    ($($subject:ty),*) => { $(
        plain_assertions! { [] $subject {
            /// Asserts the kind of the content: `text`, `image`, `audio`, `resource_link` or `resource`.
            assert_type / try_type (self, kind: &str) { self.check_part("type", kind) }

            /// Asserts the name of a link to a resource.
            assert_name / try_name (self, name: &str) { self.check_part("name", name) }
        }}
    )* };
}

content_block_assertions!(ToolContent, PromptContent);

plain_assertions! { [] PromptContent {
    /// Asserts the role that says the message: `user` or `assistant`.
    assert_role / try_role (self, role: &str) { self.check_role(role) }
}}

/// The item at an index; the finding of a failed assertion is completed by what there is instead.
pub(super) fn item_at<'a>(
    items: &[&'a Value],
    index: usize,
    missing: impl FnOnce() -> Finding,
) -> Result<&'a Value, Finding> {
    items.get(index).copied().ok_or_else(|| {
        let got = match items.len() {
            0 => "no content".to_owned(),
            count => format!("{}, counted from 0", words::count(count, "item")),
        };
        missing().expected(format!("content {index}")).got(got)
    })
}
