//! `skills/list` as a list: its pages, and how long they may be kept.

use std::collections::HashMap;

use mcp_test_core::expect::array;

use super::entry::Entry;
use crate::scenarios::matchers::caching_hints;
use crate::scenarios::prelude::*;
use crate::scenarios::skills::skills_server::Pages;

const PAGINATION: &str = "sep-2640-skills-list-pagination";
const ATOMIC: &str = "sep-2640-skills-list-entry-atomic";
const HINTS: &str = "sep-2640-skills-list-cache-attributes";

pub(super) fn judge(ctx: &mut Ctx, list: &Pages, entries: &[Entry<'_>]) {
    ctx.check("sep-2640-skills-list-implemented")
        .expect(&list.first, object().member("skills", array()));
    if list.first.outcome().is_ok() {
        let outcomes = list.others.iter().map(|page| page.result().map(drop));
        let check = outcomes.fold(ctx.check(PAGINATION), CheckBuilder::judge);
        check.judge(list.end.clone());
        ctx.check(ATOMIC).judge(on_one_page(entries));
        ctx.check(HINTS).expect(&list.first, caching_hints());
    } else {
        for id in [PAGINATION, ATOMIC, HINTS] {
            ctx.check(id).skip(super::REFUSED);
        }
    }
}

/// Whether no URI is on two pages; twice on one page is no matter of pages.
fn on_one_page(entries: &[Entry<'_>]) -> Result<(), Finding> {
    let mut pages = HashMap::new();
    for entry in entries {
        let Some(uri) = entry.uri() else { continue };
        let first = *pages.entry(uri).or_insert(entry.evidence());
        if first != entry.evidence() {
            return Err(Finding::peer("two pages of `skills/list` have the same skill")
                .expected("a skill with all of its files on one page")
                .got(format!("the URI {uri:?} on two pages"))
                .evidence_all(first.into_iter().chain(entry.evidence())));
        }
    }
    Ok(())
}
