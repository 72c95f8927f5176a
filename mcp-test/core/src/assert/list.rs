//! Assertions about lists, of any kind.

use super::assertions;
use super::item::{PromptAssert, ResourceAssert, ResourceTemplateAssert, ToolAssert};
use super::reply::{check_ok, check_result_member};
use super::text::{got_which, names, suggest};
use crate::check::Finding;
use crate::client::reply::{
    List, ListKind, PromptList, ResourceList, ResourceTemplateList, ToolList,
};
use crate::expect::{Matcher, words};
use crate::json::{Pointer, Value};
use crate::spec::Requirement;

assertions! { [K: ListKind] List<K> {
    /// Asserts that every page is a result with a list.
    assert_ok / try_ok (self) { check_ok(&self).and_then(|()| items(&self).map(|_| ())) }

    /// Asserts the number of items on all pages.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }

    /// Asserts that the items have exactly these names (resources: URIs, templates: URI templates), in any order.
    assert_names / try_names (self, expected: impl IntoIterator<Item = impl AsRef<str>>) {
        check_names(&self, expected)
    }

    /// Asserts that no two items have the same name (resources: URI, templates: URI template).
    assert_unique_names / try_unique_names (self) { check_unique(&self) }

    /// Asserts the number of pages.
    assert_pages / try_pages (self, pages: usize) { check_pages(&self, pages) }

    /// Asserts that no page has more items than this.
    assert_page_size / try_page_size (self, most: usize) { check_page_size(&self, most) }

    /// Asserts that the value at a JSON pointer of the result matches, on every page.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # fn f(tools: mcp_test::client::ToolList) {
    /// use mcp_test::expect::integer;
    ///
    /// tools.assert_member("/ttlMs", integer());
    /// # }
    /// ```
    assert_member / try_member (self, pointer: &str, matcher: impl Matcher) {
        check_every_page(&self, pointer, &matcher)
    }

    /// Asserts that every item matches, and that there is at least one.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # fn f(tools: mcp_test::client::ToolList) {
    /// use mcp_test::expect::{non_empty_string, object};
    ///
    /// tools.assert_each(object().member("description", non_empty_string()));
    /// # }
    /// ```
    assert_each / try_each (self, matcher: impl Matcher) { check_each(&self, &matcher) }
}}

assertions! { [] ToolList {
    /// Asserts that there is a tool with this name, and returns it; [`ToolAssert::and`] returns to the list.
    assert_tool / try_tool (self, name: &str) -> ToolAssert { find(&self, name) }

    /// Asserts that there is no tool with this name.
    assert_no_tool / try_no_tool (self, name: &str) { find_none(&self, name) }
}}

assertions! { [] ResourceList {
    /// Asserts that there is a resource with this URI, and returns it; [`ResourceAssert::and`] returns to the list.
    assert_resource / try_resource (self, uri: &str) -> ResourceAssert { find(&self, uri) }

    /// Asserts that there is no resource with this URI.
    assert_no_resource / try_no_resource (self, uri: &str) { find_none(&self, uri) }
}}

assertions! { [] ResourceTemplateList {
    /// Asserts that there is a template with this URI template, and returns it; [`ResourceTemplateAssert::and`] returns to the list.
    assert_resource_template / try_resource_template (self, uri_template: &str) -> ResourceTemplateAssert {
        find(&self, uri_template)
    }

    /// Asserts that there is no template with this URI template.
    assert_no_resource_template / try_no_resource_template (self, uri_template: &str) {
        find_none(&self, uri_template)
    }
}}

assertions! { [] PromptList {
    /// Asserts that there is a prompt with this name, and returns it; [`PromptAssert::and`] returns to the list.
    assert_prompt / try_prompt (self, name: &str) -> PromptAssert { find(&self, name) }

    /// Asserts that there is no prompt with this name.
    assert_no_prompt / try_no_prompt (self, name: &str) { find_none(&self, name) }
}}

/// The items; a result without them violates the schema.
fn items<K: ListKind>(list: &List<K>) -> Result<Vec<&Value>, Finding> {
    check_ok(list)?;
    list.items().map_err(|finding| finding.requires(result_requirement(K::METHOD)))
}

fn result_requirement(method: &str) -> &'static Requirement {
    match method {
        "tools/list" => Requirement::SCHEMA_LIST_TOOLS_RESULT,
        "resources/list" => Requirement::SCHEMA_LIST_RESOURCES_RESULT,
        "resources/templates/list" => Requirement::SCHEMA_LIST_RESOURCE_TEMPLATES_RESULT,
        _ => Requirement::SCHEMA_LIST_PROMPTS_RESULT,
    }
}

fn key<K: ListKind>(item: &Value) -> Option<&str> {
    item.get(K::KEY)?.as_str()
}

/// Describes the list: the number of items, and their names.
fn describe<K: ListKind>(items: &[&Value]) -> String {
    let keys: Vec<&str> = items.iter().filter_map(|item| key::<K>(item)).collect();
    let mut text = match keys.as_slice() {
        // Without the colon that names would follow.
        [] => format!("0 {}s", K::NOUN),
        keys => format!("{}: {}", words::count(keys.len(), K::NOUN), names(keys.iter().copied())),
    };
    let unnamed = items.len() - keys.len();
    if unnamed > 0 {
        let more = words::count(unnamed, "item");
        text = format!("{text}, and {more} without `{}`", K::KEY);
    }
    text
}

fn check_pages<K: ListKind>(list: &List<K>, pages: usize) -> Result<(), Finding> {
    items(list)?;
    let got = list.pages().len();
    if got == pages {
        return Ok(());
    }
    Err(Finding::peer(format!("unexpected number of pages of `{}`", K::METHOD))
        .expected(words::count(pages, "page"))
        .got(words::count(got, "page"))
        .evidence_all(list.evidence()))
}

fn check_page_size<K: ListKind>(list: &List<K>, most: usize) -> Result<(), Finding> {
    items(list)?;
    for (number, page) in (1..).zip(list.pages()) {
        let items = page.result()?.get(K::MEMBER).and_then(Value::as_array).unwrap_or_default();
        if items.len() > most {
            return Err(Finding::peer(format!("a page of `{}` is too large", K::METHOD))
                .expected(format!("at most {} on a page", words::count(most, K::NOUN)))
                .got(format!("{} on page {number}", words::count(items.len(), K::NOUN)))
                .evidence_all(page.evidence()));
        }
    }
    Ok(())
}

fn check_every_page<K: ListKind>(
    list: &List<K>,
    pointer: &str,
    matcher: &dyn Matcher,
) -> Result<(), Finding> {
    items(list)?;
    for (number, page) in (1..).zip(list.pages()) {
        let headline = format!("page {number} of `{}` is not as expected", K::METHOD);
        check_result_member(page, pointer, matcher, headline)?;
    }
    Ok(())
}

fn check_len<K: ListKind>(list: &List<K>, len: usize) -> Result<(), Finding> {
    let items = items(list)?;
    if items.len() == len {
        return Ok(());
    }
    Err(Finding::peer(format!("unexpected number of items in `{}`", K::METHOD))
        .expected(words::count(len, K::NOUN))
        .got(describe::<K>(&items))
        .evidence_all(list.evidence()))
}

fn check_names<K: ListKind>(
    list: &List<K>,
    expected: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<(), Finding> {
    let items = items(list)?;
    let expected: Vec<_> = expected.into_iter().collect();
    // A name that is expected twice must be listed twice.
    let mut missing: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
    let mut extra = Vec::new();
    for key in items.iter().filter_map(|item| key::<K>(item)) {
        match missing.iter().position(|name| *name == key) {
            Some(index) => {
                missing.remove(index);
            }
            None => extra.push(key),
        }
    }
    // An item without a name is none of the expected ones, and cannot be named as an extra one either.
    let unnamed = items.iter().any(|item| key::<K>(item).is_none());
    if missing.is_empty() && extra.is_empty() && !unnamed {
        return Ok(());
    }
    let lacks = (!missing.is_empty()).then(|| format!("lacks {}", names(missing)));
    let also = (!extra.is_empty()).then(|| format!("also has {}", names(extra)));
    let which: Vec<String> = lacks.into_iter().chain(also).collect();
    let which = (!which.is_empty()).then(|| which.join(" and "));
    Err(Finding::peer(format!("unexpected items in `{}`", K::METHOD))
        .expected(format!(
            "{} in any order: {}",
            words::count(expected.len(), K::NOUN),
            names(expected.iter().map(AsRef::as_ref))
        ))
        .got(got_which(&format!("a list of {}", describe::<K>(&items)), which))
        .evidence_all(list.evidence()))
}

fn check_unique<K: ListKind>(list: &List<K>) -> Result<(), Finding> {
    let items = items(list)?;
    let keys: Vec<&str> = items.iter().filter_map(|item| key::<K>(item)).collect();
    let is_repeated = |index: &usize| keys[..*index].contains(&keys[*index]);
    let Some(index) = (0..keys.len()).find(is_repeated) else {
        return Ok(());
    };
    let times = keys.iter().filter(|key| **key == keys[index]).count();
    let finding = Finding::peer(format!("two {}s have the same `{}`", K::NOUN, K::KEY))
        .expected(format!("a unique `{}` on all pages", K::KEY))
        .got(format!("`{}` {times} times", keys[index]))
        .evidence_all(list.evidence());
    // No requirement says that URI templates are unique.
    Err(match K::METHOD {
        "tools/list" => finding.requires(Requirement::TOOLS_NAME_UNIQUE),
        "resources/list" => finding.requires(Requirement::RESOURCES_DEFINITION_URI_UNIQUE),
        "prompts/list" => finding.requires(Requirement::PROMPTS_DEFINITION_NAME_UNIQUE),
        _ => finding,
    })
}

fn check_each<K: ListKind>(list: &List<K>, matcher: &dyn Matcher) -> Result<(), Finding> {
    let items = items(list)?;
    // A test that expects something of each item means that there are some.
    if items.is_empty() {
        return Err(Finding::peer(format!("`{}` lists no items", K::METHOD))
            .expected(format!("at least one {}", K::NOUN))
            .got("an empty list")
            .evidence_all(list.evidence()));
    }
    for (index, item) in items.into_iter().enumerate() {
        matcher.check(item).map_err(|mismatch| {
            let headline = match key::<K>(item) {
                Some(key) => format!("{} `{key}` is not as expected", K::NOUN),
                None => format!("{} {index} is not as expected", K::NOUN),
            };
            let mismatch = mismatch.within(Pointer::root().member(K::MEMBER).index(index));
            Finding::mismatch(headline, &mismatch).evidence_all(list.evidence())
        })?;
    }
    Ok(())
}

fn find<K: ListKind>(list: &List<K>, expected: &str) -> Result<Value, Finding> {
    let items = items(list)?;
    if let Some(item) = items.iter().find(|item| key::<K>(item) == Some(expected)) {
        return Ok((*item).clone());
    }
    let finding = Finding::peer(format!("{} `{expected}` not found", K::NOUN))
        .expected(format!("a {} whose `{}` is `{expected}`", K::NOUN, K::KEY))
        .got(describe::<K>(&items))
        .evidence_all(list.evidence());
    Err(suggest(finding, expected, items.iter().filter_map(|item| key::<K>(item))))
}

fn find_none<K: ListKind>(list: &List<K>, unexpected: &str) -> Result<(), Finding> {
    let items = items(list)?;
    match items.iter().find(|item| key::<K>(item) == Some(unexpected)) {
        None => Ok(()),
        Some(item) => Err(Finding::peer(format!("unexpected {} `{unexpected}`", K::NOUN))
            .expected(format!("no {} with this `{}`", K::NOUN, K::KEY))
            .got(words::got(Some(item)))
            .evidence_all(list.evidence())),
    }
}
