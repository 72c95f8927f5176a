//! `sep-2640-skills-directory`.

use mcp_test_core::expect::{array, array_of};

use super::skills_server::{Pages, check, directory, settings, skill_uri, text};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// The directory of a skill can be read, with what is directly in it.
    ///
    /// Instructions name directories, such as that of the templates, and a list of all resources is no answer to what is in
    /// one of them. The directory is that of the first listed skill; the official checks expect another directory in it.
    Server "sep-2640-skills-directory": "The directories of skills can be read",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::Extensions)],
    shares_connection: Revisions::all(),
    checks: [
        check(FLAG, "The server declares `directoryRead`", &[Requirement::SKILLS_CAPABILITY_DIRECTORY_READ]).informs(),
        check(REGISTERED, "The directory of a skill can be read", &[Requirement::SKILLS_DIRECTORY_IMPLEMENT]),
        check(SHAPE, "What is in the directory is an array of resources", &[Requirement::SKILLS_DIRECTORY_CHILDREN]),
        check(SUBDIRECTORY, "A directory in the directory has the MIME type `inode/directory`",
            &[Requirement::SKILLS_DIRECTORY_SUBDIRECTORY]),
        check(INVALID, "Reading a file as a directory is refused with -32602", &[Requirement::SKILLS_DIRECTORY_INVALID_32602]),
        check(PAGINATION, "If there is a `nextCursor`, it leads to another page", &[Requirement::SKILLS_DIRECTORY_PAGINATION]),
    ],
}

const METHOD: &str = "resources/directory/read";
const MIME_TYPE: &str = "inode/directory";

const FLAG: &str = "sep-2640-capability-directory-read-flag";
const REGISTERED: &str = "sep-2640-directory-read-method-registered";
const SHAPE: &str = "sep-2640-directory-read-result-resources-shape";
const SUBDIRECTORY: &str = "sep-2640-directory-read-subdir-mimetype";
const INVALID: &str = "sep-2640-directory-read-invalid-params";
const PAGINATION: &str = "sep-2640-directory-read-pagination";

/// A directory, and what the server has listed of it.
#[derive(Default)]
struct Found {
    uri: String,
    /// A file in it.
    file: Option<String>,
    /// Whether a listed file is deeper in it.
    is_nested: bool,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some((_, settings)) = settings(ctx).await? else { return Ok(()) };
    if settings.get("directoryRead").and_then(Value::as_bool) != Some(true) {
        ctx.skip_the_rest("the server does not declare `directoryRead`");
        return Ok(());
    }
    ctx.check(FLAG).pass();
    let Some(found) = find(ctx).await? else {
        for id in [REGISTERED, SHAPE, SUBDIRECTORY, INVALID, PAGINATION] {
            ctx.check(id).missing(Finding::peer("the server lists no skill, and no directory"));
        }
        return Ok(());
    };
    let children = Pages::request(ctx, METHOD, json!({ "uri": found.uri })).await?;
    judge_children(ctx, &children, &found);
    match &found.file {
        Some(file) => {
            let reply = ctx.request(METHOD, json!({ "uri": file })).deliberate().await?;
            let is_refused = is_error(&reply);
            ctx.check(INVALID)
                .judge(is_refused.and_then(|()| has_code(&reply, error_code::INVALID_PARAMS)));
        }
        None => drop(ctx.check(INVALID).missing(Finding::peer("the server lists no `SKILL.md`"))),
    }
    judge_next_page(ctx, &children);
    Ok(())
}

/// The directory of the first skill of `skills/list`, or else the first of `resources/list`.
async fn find(ctx: &mut Ctx) -> Result<Option<Found>, Finding> {
    let skills = Pages::request(ctx, "skills/list", json!({})).await?;
    let skill = skills.items("skills").map(|(_, skill)| skill).find_map(found_skill);
    if skill.is_some() {
        return Ok(skill);
    }
    let resources = Pages::request(ctx, "resources/list", json!({})).await?;
    let items = || resources.items("resources").map(|(_, item)| item);
    Ok(items().find_map(found_skill).or_else(|| {
        let uri = text(items().find(|item| is_directory(item))?, "uri")?;
        Some(Found { uri: uri.to_owned(), ..Found::default() })
    }))
}

fn found_skill(item: &Value) -> Option<Found> {
    let file = skill_uri(item)?;
    let uri = directory(file)?;
    let files = item.get("resources").and_then(Value::as_array).unwrap_or_default();
    let paths = files.iter().filter_map(|file| text(file, "uri")?.strip_prefix(uri));
    let is_nested = paths.filter_map(|path| path.strip_prefix('/')).any(|path| path.contains('/'));
    Some(Found { uri: uri.to_owned(), file: Some(file.to_owned()), is_nested })
}

fn is_directory(item: &Value) -> bool {
    text(item, "mimeType") == Some(MIME_TYPE)
}

fn judge_children(ctx: &mut Ctx, children: &Pages, found: &Found) {
    if let Err(refused) = children.first.result() {
        ctx.check(REGISTERED).fail(refused.clone());
        for id in [SHAPE, SUBDIRECTORY] {
            ctx.check(id).untestable(refused.clone());
        }
        return;
    }
    ctx.check(REGISTERED).pass();
    let pages = children.all().filter(|page| page.outcome().is_ok());
    pages.fold(ctx.check(SHAPE), |check, page| {
        check.expect(page, object().member("resources", array_of(object().member("uri", string()))))
    });
    let profile = ctx.profile();
    let check = ctx.check(SUBDIRECTORY);
    if children.items("resources").any(|(_, child)| is_directory(child)) {
        check.pass();
        return;
    }
    let none = Finding::peer(format!("the result of `{METHOD}` has no directory"))
        .expected(format!("a resource with the `mimeType` {MIME_TYPE:?}"))
        .got(children.first.result().map_or_else(|it| it.to_string(), |it| it.short(120)))
        .evidence_all(children.first.evidence());
    // The official check takes a skill without another directory in it for a missing fixture, whatever its files are.
    if found.is_nested && profile != Profile::Official {
        check.fail(none)
    } else {
        check.missing(none)
    };
}

fn judge_next_page(ctx: &mut Ctx, children: &Pages) {
    let check = ctx.check(PAGINATION);
    match (children.first.result(), children.others.first()) {
        (Err(refused), _) => check.untestable(refused),
        (Ok(_), None) => check.pass(),
        (Ok(_), Some(next)) => check.expect(next, object().member("resources", array())),
    };
}

proofs! {
    passes on everything();
    catches "sep-2640-directory-read-method-registered" by reply_error("resources/directory/read", -32603);
    catches "sep-2640-directory-read-method-registered"
        by set("skills/list", "/skills/0/uri", "skill://other/SKILL.md");
    catches "sep-2640-directory-read-result-resources-shape" by remove("resources/directory/read", "/resources/0/uri");
    catches "sep-2640-directory-read-subdir-mimetype" by remove("resources/directory/read", "/resources/1/mimeType");
    catches "sep-2640-directory-read-subdir-mimetype" on without_nested_files(), under Official;
    catches "sep-2640-directory-read-invalid-params" on reading_a_file();
    catches "sep-2640-directory-read-pagination" by set("resources/directory/read", "/nextCursor", "2");
}

/// Reads a file as an empty directory.
fn reading_a_file() -> Server {
    let file = given(method(METHOD)).and(param("/uri", equals("skill://release-notes/SKILL.md")));
    reference_server_with([file.respond_with(json!({ "resources": [] }))])
}

/// Has a skill with a single file.
fn without_nested_files() -> Server {
    reference_server_with([
        given(method("skills/list")).respond_with(json!({
            "skills": [{ "uri": "skill://release-notes/SKILL.md", "resources": "dynamic" }],
        })),
        given(method(METHOD)).and(param("/uri", equals("skill://release-notes"))).respond_with(
            json!({ "resources": [{ "uri": "skill://release-notes/SKILL.md", "name": "SKILL.md" }] }),
        ),
    ])
}
