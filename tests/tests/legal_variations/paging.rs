//! Lists in pages, which the reference server does not have.

use std::collections::HashMap;

use mcp_test_core::json::Value;
use serde_json::json;

/// The members of results that are pages.
const LISTS: [&str; 4] = ["prompts", "resources", "resourceTemplates", "tools"];

/// No list of the reference server has more pages.
const MOST_PAGES: usize = 200;

/// How lists are split.
#[derive(Clone, Copy)]
pub(crate) struct Paging {
    /// The index of the first item of a page.
    pub(crate) start: fn(usize) -> usize,
    /// Whether the page after the last item has a cursor as well, and is empty.
    pub(crate) ends_empty: bool,
    /// The cursor of a page.
    pub(crate) cursor: fn(usize) -> String,
}

/// The pages that the client of one connection asks for, by the id of its request.
pub(crate) type AskedPages = HashMap<String, usize>;

impl Paging {
    /// Takes the cursor out of a request for a page, so that the server answers with the whole list.
    pub(crate) fn received(self, request: &mut Value, asked: &mut AskedPages) {
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        let (true, Some(id)) = (method.ends_with("/list"), request.get("id")) else { return };
        let id = id.to_string();
        let page = match request.at("/params/cursor") {
            None => Some(0),
            Some(cursor) => (1..MOST_PAGES)
                .find(|page| cursor.as_str().is_some_and(|it| it == (self.cursor)(*page))),
        };
        // The server refuses cursors that it has not issued.
        let Some(page) = page else { return };
        request.remove("/params/cursor");
        asked.insert(id, page);
    }

    /// Leaves only the page that was asked for.
    pub(crate) fn sent(self, reply: &mut Value, asked: &mut AskedPages) {
        let id = reply.get("id").map(ToString::to_string).unwrap_or_default();
        let Some(page) = asked.remove(&id) else { return };
        let Some(result) = reply.at_mut("/result") else { return };
        let Some(list) = LISTS.into_iter().find(|list| result.get(list).is_some()) else { return };
        let Some(items) = result.at_mut(&format!("/{list}")).and_then(Value::as_array_mut) else {
            return;
        };
        let count = items.len();
        let bound = |page: usize| (self.start)(page).min(count);
        let (first, end) = (bound(page), bound(page + 1));
        items.truncate(end);
        items.drain(..first);
        if end < count || self.ends_empty && first < end {
            let cursor = json!((self.cursor)(page + 1));
            result
                .as_object_mut()
                .into_iter()
                .for_each(|it| drop(it.insert("nextCursor", cursor.clone())));
        }
    }
}
