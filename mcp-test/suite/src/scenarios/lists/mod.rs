//! The four lists: their pages, their cursors, and what they list.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination>

scenarios![
    lists_pages,
    lists_cursor_invalid,
    lists_without_params,
    lists_undeclared,
    lists_definitions,
    lists_connections,
    client_pages,
    client_empty_lists,
];

use mcp_test_core::client::reply::listed_items;

use crate::scenarios::prelude::*;

/// The first page of each list that the server declares and answers.
///
/// A refused list is left out: a server without templates need not know their method, and other scenarios report the rest.
async fn first_pages(ctx: &mut Ctx) -> Result<Vec<(ItemKind, Reply)>, Finding> {
    let mut pages = Vec::new();
    for kind in ItemKind::ALL {
        if !ctx.declares(kind.capability()).await? {
            continue;
        }
        let page = ctx.request(kind.method(), json!({})).await?;
        if page.error().is_none() && keys(kind, &page).is_some() {
            pages.push((kind, page));
        }
    }
    Ok(pages)
}

/// What identifies the items of a page, in order; `None` if it is not a page.
fn keys(kind: ItemKind, page: &Reply) -> Option<Vec<String>> {
    let items = listed_items(kind, std::slice::from_ref(page)).ok()?;
    // As JSON text, because a key of another type identifies an item as well.
    let key = |item: &Value| item.get(kind.key()).map(ToString::to_string).unwrap_or_default();
    Some(items.into_iter().map(key).collect())
}

/// The cursor that a page names.
fn next_cursor(page: &Reply) -> Option<String> {
    Some(page.outcome().ok()?.get("nextCursor")?.as_str()?.to_owned())
}

/// The first finding, if there is one: one check stands for all lists.
fn all(outcomes: impl IntoIterator<Item = Result<(), Finding>>) -> Result<(), Finding> {
    outcomes.into_iter().collect()
}

/// A server that lists the prompts `a`, `b` and `c` on a page each; `next` returns the page of a cursor.
fn paged(next: impl Fn(&str) -> Result<usize, RpcError> + Send + Sync + 'static) -> Server {
    everything().on("prompts/list", move |call: Call| {
        let page = call.param("cursor").and_then(Value::as_str).map_or(Ok(0), &next);
        let result = page.map(|page| {
            let name = ["a", "b", "c"][page];
            let mut result = json!({ "prompts": [{ "name": name }] });
            if page < 2 {
                result["nextCursor"] = json!(format!("page {}", page + 1));
            }
            result
        });
        async move { Answer::from(result) }
    })
}

/// The page of a cursor of [`paged`].
fn page_of(cursor: &str) -> Result<usize, RpcError> {
    match cursor {
        "page 1" => Ok(1),
        "page 2" => Ok(2),
        _ => Err(RpcError::new(error_code::INVALID_PARAMS, "invalid cursor")),
    }
}
