//! Assertions about one item of a list, of any kind.

use super::reply::member;
use super::text::{got_which, quoted, which_differs};
use super::{Asserted, Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::client::reply::{List, ListKind, Prompts, ResourceTemplates, Resources, Tools};
use crate::expect::{Matcher, words};
use crate::json::{Pointer, Value};

/// One item of a list; [`ItemAssert::and`] returns to the list.
#[derive(Debug, Clone)]
pub struct ItemAssert<K> {
    list: List<K>,
    item: Value,
}

/// A tool of a [`ToolList`](crate::client::ToolList).
pub type ToolAssert = ItemAssert<Tools>;
/// A resource of a [`ResourceList`](crate::client::ResourceList).
pub type ResourceAssert = ItemAssert<Resources>;
/// A template of a [`ResourceTemplateList`](crate::client::ResourceTemplateList).
pub type ResourceTemplateAssert = ItemAssert<ResourceTemplates>;
/// A prompt of a [`PromptList`](crate::client::PromptList).
pub type PromptAssert = ItemAssert<Prompts>;

impl<K: ListKind> ItemAssert<K> {
    pub(super) fn new(list: List<K>, item: Value) -> Self {
        Self { list, item }
    }

    /// Returns to the list.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # fn f(tools: mcp_test::client::ToolList) {
    /// tools.assert_tool("add").assert_requires("a").and().assert_no_tool("subtract");
    /// # }
    /// ```
    pub fn and(self) -> Asserted<List<K>> {
        Asserted(self.list)
    }

    /// The item as the server sent it.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.item
    }

    /// The name of the item in messages: "tool `add`".
    pub(super) fn noun(&self) -> String {
        let key = self.item.get(K::KEY).and_then(Value::as_str).unwrap_or_default();
        format!("{} `{key}`", K::NOUN)
    }

    pub(super) fn finding(&self, headline: impl Into<String>) -> Finding {
        self.located(Finding::peer(headline))
    }

    /// Points the finding at the item in its page.
    fn located(&self, finding: Finding) -> Finding {
        let place = self.list.pages().iter().find_map(|page| {
            let items = page.peek()?.get(K::MEMBER)?.as_array()?;
            let index = items.iter().position(|item| *item == self.item)?;
            Some((page, Pointer::root().member(K::MEMBER).index(index)))
        });
        let Some((page, item)) = place else {
            return finding.evidence_all(self.list.evidence());
        };
        let pointer = finding.pointer.as_deref().map_or(item.clone(), |member| item.join(member));
        Finding { pointer: Some(Box::new(pointer)), ..finding }.evidence_all(page.evidence())
    }

    pub(super) fn check_member(&self, pointer: &str, matcher: &dyn Matcher) -> Result<(), Finding> {
        let headline = format!("{} is not as expected", self.noun());
        member(&self.item, pointer, matcher, headline).map_err(|finding| self.located(finding))
    }

    pub(super) fn check_text(&self, name: &str, text: &str) -> Result<(), Finding> {
        let value = self.item.get(name);
        let got = value.and_then(Value::as_str);
        if got == Some(text) {
            return Ok(());
        }
        let which = got.and_then(|got| which_differs(text, got));
        Err(self
            .finding(format!("{} has an unexpected `{name}`", self.noun()))
            .expected(format!("`{name}` is {}", quoted(text)))
            .got(got_which(&words::got(value), which)))
    }

    fn check_description(&self, part: &str) -> Result<(), Finding> {
        // A part of it: the whole text of a description changes more often than what a test cares about.
        let value = self.item.get("description");
        if value.and_then(Value::as_str).is_some_and(|text| text.contains(part)) {
            return Ok(());
        }
        Err(self
            .finding(format!("{} has an unexpected `description`", self.noun()))
            .expected(format!("a `description` that contains {}", quoted(part)))
            .got(words::got(value)))
    }
}

impl<K: ListKind> Staged for ItemAssert<K> {
    fn scene(&self) -> Scene<'_> {
        self.list.scene()
    }
}

plain_assertions! { [K: ListKind] ItemAssert<K> {
    /// Asserts that the description contains this text.
    assert_description / try_description (self, part: &str) { self.check_description(part) }

    /// Asserts that the title is this text.
    assert_title / try_title (self, title: &str) { self.check_text("title", title) }

    /// Asserts that the value at a JSON pointer of the item matches.
    assert_member / try_member (self, pointer: &str, matcher: impl Matcher) {
        self.check_member(pointer, &matcher)
    }
}}

plain_assertions! { [] ResourceAssert {
    /// Asserts the name of the resource.
    assert_name / try_name (self, name: &str) { self.check_text("name", name) }

    /// Asserts the MIME type of the resource.
    assert_mime_type / try_mime_type (self, mime_type: &str) { self.check_text("mimeType", mime_type) }
}}

plain_assertions! { [] ResourceTemplateAssert {
    /// Asserts the name of the template.
    assert_name / try_name (self, name: &str) { self.check_text("name", name) }

    /// Asserts the MIME type of all resources of the template.
    assert_mime_type / try_mime_type (self, mime_type: &str) { self.check_text("mimeType", mime_type) }
}}
