//! Lists: all pages as one.

use std::marker::PhantomData;

use super::Reply;
use crate::check::Finding;
use crate::json::Value;
use crate::spec::ItemKind;

/// Marks the kind of items in a list.
pub trait ListKind {
    /// The kind.
    const KIND: ItemKind;
    /// The list method.
    const METHOD: &'static str = Self::KIND.method();
    /// The member of the result that contains the items.
    const MEMBER: &'static str = Self::KIND.member();
    /// The member that identifies an item.
    const KEY: &'static str = Self::KIND.key();
    /// The noun for one item.
    const NOUN: &'static str = Self::KIND.noun();
}

macro_rules! list_kind {
    ($kind:ident, $item:ident, $alias:ident, $method:literal, $page:literal) => {
        #[doc = concat!("Marks a list of one kind; see [`", stringify!($alias), "`].")]
        #[derive(Debug, Clone, Copy)]
        pub struct $kind;

        impl ListKind for $kind {
            const KIND: ItemKind = ItemKind::$item;
        }

        #[doc = concat!("The replies to `", $method, "`, all pages as one list.")]
        #[doc = ""]
        #[doc = concat!("<https://modelcontextprotocol.io/specification/2025-11-25/", $page, ">")]
        pub type $alias = List<$kind>;
    };
}

list_kind!(Tools, Tool, ToolList, "tools/list", "server/tools#listing-tools");
list_kind!(
    Resources,
    Resource,
    ResourceList,
    "resources/list",
    "server/resources#listing-resources"
);
list_kind!(
    ResourceTemplates,
    ResourceTemplate,
    ResourceTemplateList,
    "resources/templates/list",
    "server/resources#resource-templates"
);
list_kind!(Prompts, Prompt, PromptList, "prompts/list", "server/prompts#listing-prompts");

/// The items of all pages of a list, in order.
///
/// # Errors
///
/// A peer finding when a page is an error or has no array of items.
#[doc(hidden)]
pub fn listed_items(kind: ItemKind, pages: &[Reply]) -> Result<Vec<&Value>, Finding> {
    let (method, member) = (kind.method(), kind.member());
    let mut items = Vec::new();
    for page in pages {
        // An error on any page fails the list, which would otherwise look complete.
        let result = page.result()?;
        let array = result.get(member).and_then(Value::as_array).ok_or_else(|| {
            let got = result.get(member).map_or_else(
                || "a result without it".to_owned(),
                |member| format!("{}, which is {}", member.short(80), member.kind()),
            );
            Finding::peer(format!("the result of `{method}` contains no list"))
                .expected(format!("`/{member}` is an array"))
                .got(got)
                .evidence_all(page.evidence())
        })?;
        items.extend(array);
    }
    Ok(items)
}

/// All pages of a list.
#[must_use = "an unexamined list proves nothing"]
#[derive(Debug, Clone)]
pub struct List<K> {
    pages: Vec<Reply>,
    kind: PhantomData<K>,
}

impl<K: ListKind> List<K> {
    /// Joins the pages of a list.
    pub fn new(pages: Vec<Reply>) -> Self {
        Self { pages, kind: PhantomData }
    }

    /// The replies, one per page.
    pub fn pages(&self) -> &[Reply] {
        &self.pages
    }

    /// The items of all pages, in order.
    ///
    /// # Errors
    ///
    /// A peer finding when a page is an error or has no array of items.
    pub fn items(&self) -> Result<Vec<&Value>, Finding> {
        listed_items(K::KIND, &self.pages)
    }

    /// The names (for resources: the URIs) of all items, in order; items without one are omitted.
    ///
    /// # Errors
    ///
    /// As for [`List::items`].
    pub fn keys(&self) -> Result<Vec<&str>, Finding> {
        Ok(self.items()?.into_iter().filter_map(|item| item.get(K::KEY)?.as_str()).collect())
    }

    /// The cursors that the pages name, in order; the last page has none.
    pub fn cursors(&self) -> Vec<&str> {
        let results = self.pages.iter().filter_map(Reply::peek);
        results.filter_map(|result| result.get("nextCursor")?.as_str()).collect()
    }

    /// The item of this name (for resources: this URI).
    ///
    /// # Errors
    ///
    /// As for [`List::items`].
    pub fn find(&self, key: &str) -> Result<Option<&Value>, Finding> {
        let has_key = |item: &&Value| item.get(K::KEY).and_then(Value::as_str) == Some(key);
        Ok(self.items()?.into_iter().find(has_key))
    }

    /// The events of all pages.
    #[must_use]
    pub fn evidence(&self) -> Vec<crate::trace::Seq> {
        self.pages.iter().flat_map(Reply::evidence).collect()
    }
}
