//! Assertions of lists, of whatever kind, as a whole.

use super::assertions;
use super::item::{PromptAssert, ResourceAssert, ResourceTemplateAssert, ToolAssert};
use super::reply::check_ok;
use super::text::names;
use crate::check::Finding;
use crate::client::reply::{
    List, ListKind, PromptList, ResourceList, ResourceTemplateList, ToolList,
};
use crate::expect::{Matcher, words};
use crate::json::{Pointer, Value};

assertions! { [K: ListKind] List<K> {
    /// Asserts that every page is a result that holds a list.
    assert_ok / try_ok (self) { check_ok(&self).and_then(|()| read(&self).map(|_| ())) }

    /// Asserts how many items there are, on all pages together.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }

    /// Asserts that the items have exactly these names (resources: URIs, templates: URI templates), in any order.
    assert_names / try_names (self, expected: impl IntoIterator<Item = impl AsRef<str>>) {
        check_names(&self, expected)
    }

    /// Asserts that no two items have the same name (resources: URI, templates: URI template).
    assert_unique_names / try_unique_names (self) { check_unique(&self) }

    /// Asserts that every item matches, and that there is at least one.
    ///
    /// ```no_run
    /// # fn f(tools: mcp_test::client::ToolList) {
    /// use mcp_test::expect::{non_empty_string, object};
    ///
    /// tools.assert_each(object().member("description", non_empty_string()));
    /// # }
    /// ```
    assert_each / try_each (self, matcher: impl Matcher) { check_each(&self, &matcher) }
}}

assertions! { [] ToolList {
    /// Asserts that there is a tool of this name, and goes on with it; [`ToolAssert::and`] comes back.
    assert_tool / try_tool (self, name: &str) -> ToolAssert { find(&self, name) }

    /// Asserts that there is no tool of this name.
    assert_no_tool / try_no_tool (self, name: &str) { find_none(&self, name) }
}}

assertions! { [] ResourceList {
    /// Asserts that there is a resource with this URI, and goes on with it; [`ResourceAssert::and`] comes back.
    assert_resource / try_resource (self, uri: &str) -> ResourceAssert { find(&self, uri) }

    /// Asserts that there is no resource with this URI.
    assert_no_resource / try_no_resource (self, uri: &str) { find_none(&self, uri) }
}}

assertions! { [] ResourceTemplateList {
    /// Asserts that there is this URI template, and goes on with it; [`ResourceTemplateAssert::and`] comes back.
    assert_resource_template / try_resource_template (self, uri_template: &str) -> ResourceTemplateAssert {
        find(&self, uri_template)
    }

    /// Asserts that there is no such URI template.
    assert_no_resource_template / try_no_resource_template (self, uri_template: &str) {
        find_none(&self, uri_template)
    }
}}

assertions! { [] PromptList {
    /// Asserts that there is a prompt of this name, and goes on with it; [`PromptAssert::and`] comes back.
    assert_prompt / try_prompt (self, name: &str) -> PromptAssert { find(&self, name) }

    /// Asserts that there is no prompt of this name.
    assert_no_prompt / try_no_prompt (self, name: &str) { find_none(&self, name) }
}}

/// The items, or what the specification says of a result without them.
fn read<K: ListKind>(list: &List<K>) -> Result<Vec<&Value>, Finding> {
    check_ok(list)?;
    list.items().map_err(|finding| finding.requires(result_requirement(K::METHOD)))
}

fn result_requirement(method: &str) -> &'static str {
    match method {
        "tools/list" => "schema.list-tools-result",
        "resources/list" => "schema.list-resources-result",
        "resources/templates/list" => "schema.list-resource-templates-result",
        _ => "schema.list-prompts-result",
    }
}

fn key<K: ListKind>(item: &Value) -> Option<&str> {
    item.get(K::KEY)?.as_str()
}

/// What the list holds, in words: how many items, and their names.
fn held<K: ListKind>(items: &[&Value]) -> String {
    let keys: Vec<&str> = items.iter().filter_map(|item| key::<K>(item)).collect();
    let mut held = match keys.as_slice() {
        [] => format!("0 {}s", K::NOUN),
        keys => format!("{}: {}", words::count(keys.len(), K::NOUN), names(keys.iter().copied())),
    };
    let nameless = items.len() - keys.len();
    if nameless > 0 {
        let more = words::count(nameless, "item");
        held = format!("{held}, besides {more} without `{}`", K::KEY);
    }
    held
}

fn check_len<K: ListKind>(list: &List<K>, len: usize) -> Result<(), Finding> {
    let items = read(list)?;
    if items.len() == len {
        return Ok(());
    }
    Err(Finding::peer(format!("`{}` does not list as many as expected", K::METHOD))
        .expected(words::count(len, K::NOUN))
        .got(held::<K>(&items))
        .evidence_all(list.evidence()))
}

fn check_names<K: ListKind>(
    list: &List<K>,
    expected: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<(), Finding> {
    let items = read(list)?;
    let expected: Vec<_> = expected.into_iter().collect();
    let mut missing: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
    let mut extra = Vec::new();
    for key in items.iter().filter_map(|item| key::<K>(item)) {
        match missing.iter().position(|name| *name == key) {
            Some(place) => {
                missing.remove(place);
            }
            None => extra.push(key),
        }
    }
    let nameless = items.iter().any(|item| key::<K>(item).is_none());
    if missing.is_empty() && extra.is_empty() && !nameless {
        return Ok(());
    }
    let lacks = (!missing.is_empty()).then(|| format!("lacks {}", names(missing)));
    let besides = (!extra.is_empty()).then(|| format!("has {} besides", names(extra)));
    let which: Vec<String> = lacks.into_iter().chain(besides).collect();
    let which = match which.as_slice() {
        [] => String::new(),
        which => format!(", which {}", which.join(" and ")),
    };
    Err(Finding::peer(format!("`{}` does not list what is expected", K::METHOD))
        .expected(format!(
            "{} in any order: {}",
            words::count(expected.len(), K::NOUN),
            names(expected.iter().map(AsRef::as_ref))
        ))
        .got(format!("a list of {}{which}", held::<K>(&items)))
        .evidence_all(list.evidence()))
}

fn check_unique<K: ListKind>(list: &List<K>) -> Result<(), Finding> {
    let items = read(list)?;
    let keys: Vec<&str> = items.iter().filter_map(|item| key::<K>(item)).collect();
    let again = |(place, key): (usize, &&str)| keys[..place].contains(key);
    let Some(place) = (0..keys.len()).find(|place| again((*place, &keys[*place]))) else {
        return Ok(());
    };
    let times = keys.iter().filter(|key| **key == keys[place]).count();
    let finding = Finding::peer(format!("two {}s have the same `{}`", K::NOUN, K::KEY))
        .expected(format!("each `{}` once, on all pages together", K::KEY))
        .got(format!("`{}` {times} times", keys[place]))
        .evidence_all(list.evidence());
    Err(match K::METHOD {
        "tools/list" => finding.requires("tools.name.unique"),
        "resources/list" => finding.requires("resources.definition.uri-unique"),
        "prompts/list" => finding.requires("prompts.definition.name-unique"),
        _ => finding,
    })
}

fn check_each<K: ListKind>(list: &List<K>, matcher: &dyn Matcher) -> Result<(), Finding> {
    let items = read(list)?;
    if items.is_empty() {
        return Err(Finding::peer(format!("`{}` lists nothing to look at", K::METHOD))
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

fn find<K: ListKind>(list: &List<K>, wanted: &str) -> Result<Value, Finding> {
    let items = read(list)?;
    if let Some(item) = items.iter().find(|item| key::<K>(item) == Some(wanted)) {
        return Ok((*item).clone());
    }
    let finding = Finding::peer(format!("there is no {} `{wanted}`", K::NOUN))
        .expected(format!("a {} whose `{}` is `{wanted}`", K::NOUN, K::KEY))
        .got(held::<K>(&items))
        .evidence_all(list.evidence());
    let near = words::closest(wanted, items.iter().filter_map(|item| key::<K>(item)));
    Err(match near {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    })
}

fn find_none<K: ListKind>(list: &List<K>, unwanted: &str) -> Result<(), Finding> {
    let items = read(list)?;
    match items.iter().find(|item| key::<K>(item) == Some(unwanted)) {
        None => Ok(()),
        Some(item) => Err(Finding::peer(format!("there is a {} `{unwanted}`", K::NOUN))
            .expected(format!("no {} with this `{}`", K::NOUN, K::KEY))
            .got(words::got(Some(item)))
            .evidence_all(list.evidence())),
    }
}
