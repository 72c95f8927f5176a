//! `sep-2640-skills-enumeration`: `declaration`, `listing`, `entries`, `files` and `retrieval` judge one topic each, and
//! `checks` lists the checks.

mod checks;
mod declaration;
mod entries;
mod entry;
mod files;
mod listing;
mod retrieval;

use mcp_test_core::server::reference::skills;

use super::sep_2640_skills_enumeration::checks::CHECKS;
use super::sep_2640_skills_enumeration::entry::Entry;
use super::sep_2640_skills_enumeration::retrieval::{ReadSkill, Retrieved};
use super::skills_server::{Pages, settings};
use crate::scenarios::prelude::*;

scenario! {
    /// A server that declares the extension for skills lists them, each with its frontmatter and its files.
    ///
    /// By the list a user decides which skills to allow, and a client verifies the files that it reads later. So each entry
    /// has to be complete, and to agree with the `SKILL.md` that it describes. Digests and sizes are not compared with the
    /// files: only their form is checked.
    Server "sep-2640-skills-enumeration": "Skills are listed with their frontmatter and files",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::Extensions)],
    shares_connection: Revisions::all(),
    checks: CHECKS,
}

/// Why nothing can be said of the entries.
const REFUSED: &str = "`skills/list` returns no list";
const EMPTY: &str = "the server lists no skill";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some((discovered, settings)) = settings(ctx).await? else {
        // The only check that not every run makes, so that it was not skipped with the others.
        ctx.check(retrieval::HINTS).skip("the server does not declare the extension for skills");
        return Ok(());
    };
    let mut list = Pages::request(ctx, "skills/list", json!({})).await?;
    if ctx.profile() == Profile::Official {
        list.refuse_as_a_whole();
    }
    let entries = Entry::all(&list);
    let retrieved = Retrieved::request(ctx, &entries).await?;
    let read = ReadSkill::request(ctx, &entries).await?;
    // In the order of the official suite, whose check of the declared methods precedes those of their results.
    declaration::judge(ctx, &discovered, &settings);
    commits_to_methods(ctx, &list, retrieved.as_ref());
    listing::judge(ctx, &list, &entries);
    if entries.is_empty() {
        let why = if list.first.outcome().is_ok() { EMPTY } else { REFUSED };
        ctx.check(retrieval::HINTS).skip(why);
        ctx.skip_the_rest(why);
        return Ok(());
    }
    entries::judge(ctx, &entries);
    files::judge(ctx, &entries);
    entries::judge_names(ctx, &entries);
    match retrieved {
        Some(retrieved) => retrieved.judge(ctx),
        None => {
            let none = Finding::peer("no entry has a URI for `skills/get`");
            ctx.check(retrieval::IMPLEMENTED).missing(none);
        }
    }
    if let Some(read) = read {
        read.judge(ctx);
    }
    ctx.skip_the_rest("no entry has the URI of a `SKILL.md`");
    Ok(())
}

/// Without a listed URI, only the list is judged: it may be empty.
fn commits_to_methods(ctx: &mut Ctx, list: &Pages, retrieved: Option<&Retrieved>) {
    let check = ctx
        .check("sep-2640-capability-commits-to-methods")
        .requires(Requirement::SKILLS_LIST_IMPLEMENT)
        .judge(list.first.result().map(drop));
    if let Some(retrieved) = retrieved {
        check
            .requires(Requirement::SKILLS_GET_IMPLEMENT)
            .judge(retrieved.listed.result().map(drop));
    }
}

proofs! {
    passes on everything();
    catches "sep-2640-capability-empty-object"
        by set("server/discover", "/capabilities/extensions/io.modelcontextprotocol~1skills", true);
    catches "sep-2640-capability-declaration-inline"
        by set("server/discover", "/capabilities/extensions/io.modelcontextprotocol~1skills/config", json!({}));
    catches "sep-2640-capability-requires-resources" by remove("server/discover", "/capabilities/resources");
    catches "sep-2640-capability-commits-to-methods" by reply_error("skills/get", -32603);
    catches "sep-2640-skills-list-implemented" by reply_error("skills/list", -32603);
    catches "sep-2640-skills-list-pagination" by set("skills/list", "/nextCursor", "2");
    catches "sep-2640-skills-list-pagination" on followed_by(["first".to_owned()]);
    // Lists more pages than anybody reads.
    catches "sep-2640-skills-list-pagination" on followed_by((2..=60).map(|number| number.to_string()));
    catches "sep-2640-skills-list-entry-atomic" on repeating_a_page();
    catches "sep-2640-skills-list-cache-attributes" by remove("skills/list", "/ttlMs");
    catches "sep-2640-entry-uri-required" by remove("skills/list", "/skills/1/uri");
    catches "sep-2640-entry-frontmatter-required" by remove("skills/list", "/skills/1/frontmatter/description");
    catches "sep-2640-entry-uri-matches-frontmatter-name"
        by set("skills/list", "/skills/1/frontmatter/name", "summary");
    catches "sep-2640-entry-uri-matches-frontmatter-name"
        by set("skills/list", "/skills/1/uri", "skill://reports/daily-summary");
    warns "sep-2640-skill-uri-scheme" by set("skills/list", "/skills/1/uri", "docs://reports/daily-summary/SKILL.md");
    catches "sep-2640-entry-resources-required" by set("skills/list", "/skills/1/resources", "none");
    catches "sep-2640-resources-complete"
        by set("skills/list", "/skills/0/resources/1/uri", "skill://release-notes/SKILL.md");
    catches "sep-2640-resources-complete" by remove("skills/list", "/skills/0/resources/0");
    catches "sep-2640-resources-uri-within-skill"
        by set("skills/list", "/skills/0/resources/1/uri", "skill://release-notes/../minor.md");
    catches "sep-2640-resources-uri-within-skill"
        by set("skills/list", "/skills/0/resources/1/uri", "skill://reports/minor.md");
    catches "sep-2640-resources-digest-format" by set("skills/list", "/skills/0/resources/1/digest", "sha256:ABC");
    catches "sep-2640-resources-size-required" by remove("skills/list", "/skills/0/resources/1/size");
    catches "sep-2640-resources-size-required" by set("skills/list", "/skills/0/resources/1/size", -1);
    warns "sep-2640-limit-resources-per-skill" by set("skills/list", "/skills/0/resources", many_files());
    warns "sep-2640-limit-total-size" by set("skills/list", "/skills/0/resources/1/size", 16_777_216);
    warns "sep-2640-metadata-reserved-prefix"
        by set("skills/list", "/skills/1/frontmatter/metadata", json!({"io.modelcontextprotocol/version": "1.0"}));
    catches "sep-2640-name-naming-rules" by set("skills/list", "/skills/1/uri", "skill://reports/Daily/SKILL.md");
    warns "sep-2640-authority-reg-name"
        by set("skills/list", "/skills/1/uri", "skill://reports:80/daily-summary/SKILL.md");
    warns "sep-2640-names-should-be-unique" by set("skills/list", "/skills/1/frontmatter/name", "release-notes");
    catches "sep-2640-skills-get-implemented" by reply_error("skills/get", -32602);
    catches "sep-2640-skills-get-entry-shape" by remove("skills/get", "/skill/uri");
    catches "sep-2640-skills-get-entry-shape" by remove("skills/get", "/skill/resources");
    catches "sep-2640-skills-get-cache-attributes" by remove("skills/get", "/cacheScope");
    catches "sep-2640-skills-get-no-cursor" by set("skills/get", "/nextCursor", "2");
    catches "sep-2640-skills-get-unknown-uri-invalid-params" on getting_anything();
    catches "sep-2640-skillmd-required" by reply_error("resources/read", -32603);
    catches "sep-2640-skillmd-required" by remove("resources/read", "/contents/0");
    catches "sep-2640-skillmd-frontmatter" by set("resources/read", "/contents/0/text", "# Release notes");
    catches "sep-2640-entry-frontmatter-identical" by remove("skills/list", "/skills/0/frontmatter/license");
    catches "sep-2640-entry-frontmatter-identical" by set("skills/list", "/skills/0/frontmatter/metadata/version", 1);
}

/// One file more than every client accepts.
fn many_files() -> serde_json::Value {
    let digest = format!("sha256:{}", "0".repeat(64));
    let file = |name: String| json!({ "uri": format!("skill://release-notes/{name}"), "digest": digest, "size": 1 });
    (0..512)
        .map(|number| file(format!("{number}.md")))
        .chain([file("SKILL.md".to_owned())])
        .collect()
}

/// The list with this cursor.
fn page(skills: &serde_json::Value, next: &str) -> serde_json::Value {
    json!({ "skills": skills, "nextCursor": next, "ttlMs": 0, "cacheScope": "private" })
}

/// Lists the skills on the first page, and then pages without any that have these cursors, one after the other.
fn followed_by(cursors: impl IntoIterator<Item = String>) -> Server {
    let mut rules = Vec::new();
    let mut cursor = "first".to_owned();
    let first = page(&skills::skills().listing().to_serde()["skills"], &cursor);
    rules.push(given(method("skills/list")).respond_with(first));
    for next in cursors {
        let with_cursor = given(method("skills/list")).and(param("/cursor", equals(cursor)));
        rules.push(with_cursor.respond_with(page(&json!([]), &next)));
        cursor = next;
    }
    reference_server_with(rules)
}

/// Returns the same page with a cursor and without.
fn repeating_a_page() -> Server {
    let listing = skills::skills().listing().to_serde();
    let second = given(method("skills/list")).and(param("/cursor", equals("second")));
    reference_server_with([
        given(method("skills/list")).respond_with(page(&listing["skills"], "second")),
        second.respond_with(listing),
    ])
}

/// Returns a skill for any URI.
fn getting_anything() -> Server {
    let unknown = given(method("skills/get")).and(param("/uri", equals(retrieval::UNKNOWN)));
    reference_server_with([unknown.respond_with(skills::skills().listing().to_serde())])
}
