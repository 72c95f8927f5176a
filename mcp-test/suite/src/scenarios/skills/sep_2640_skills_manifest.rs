//! `sep-2640-skills-manifest`.

use super::skills_server::{Pages, SkillMd, check, name_in, settings, skill_uri, text};
use crate::scenarios::prelude::*;

scenario! {
    /// A `SKILL.md` is described as its frontmatter says, where it is listed and where it is read.
    ///
    /// A client that knows nothing of skills shows them as resources, by this name and description. The skill is one of
    /// `resources/list` if that has any, otherwise one of `skills/list`.
    Server "sep-2640-skills-manifest": "A `SKILL.md` is described by its frontmatter",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::Extensions)],
    shares_connection: Revisions::all(),
    checks: [
        check(MIME_TYPE, "The MIME type of `SKILL.md` is `text/markdown`", &[Requirement::SKILLS_METADATA_MIME_TYPE]),
        check(NAME, "`SKILL.md` is listed with the name in its frontmatter", &[Requirement::SKILLS_METADATA_NAME]),
        check(DESCRIPTION, "`SKILL.md` is listed with the description in its frontmatter",
            &[Requirement::SKILLS_METADATA_DESCRIPTION]),
        check(FINAL_SEGMENT, "The directory of `SKILL.md` has the name in the frontmatter",
            &[Requirement::SKILLS_PATH_ENDS_WITH_NAME]),
        check(META_PREFIX, "The keys of `_meta` have the prefix of a domain", &[Requirement::SKILLS_METADATA_META_PREFIX]),
    ],
}

const MIME_TYPE: &str = "sep-2640-skillmd-mimetype";
const NAME: &str = "sep-2640-skillmd-metadata-name";
const DESCRIPTION: &str = "sep-2640-skillmd-metadata-description";
const FINAL_SEGMENT: &str = "sep-2640-final-segment-equals-name";
const META_PREFIX: &str = "sep-2640-meta-prefix";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if settings(ctx).await?.is_none() {
        return Ok(());
    }
    let resources = Pages::request(ctx, "resources/list", json!({})).await?;
    let listed = resources.items("resources").find(|(_, item)| skill_uri(item).is_some());
    let mut uri = listed.and_then(|(_, item)| skill_uri(item)).map(str::to_owned);
    if uri.is_none() {
        let skills = Pages::request(ctx, "skills/list", json!({})).await?;
        let first = skills.items("skills").find_map(|(_, skill)| skill_uri(skill));
        uri = first.map(str::to_owned);
    }
    let Some(uri) = uri else {
        for id in [MIME_TYPE, NAME, DESCRIPTION, FINAL_SEGMENT, META_PREFIX] {
            ctx.check(id).missing(Finding::peer("the server lists no `SKILL.md`"));
        }
        return Ok(());
    };
    let skill = SkillMd::read(ctx, &uri).await?;
    let listed = listed.map(|(page, item)| {
        (item, Part::new("the listed `SKILL.md`", item, page.evidence().last().copied()))
    });
    judge_mime_type(ctx, &skill, listed.as_ref().map(|(item, _)| *item));
    let frontmatter = skill.frontmatter();
    for (id, member) in [(NAME, "name"), (DESCRIPTION, "description")] {
        let check = ctx.check(id);
        match (&listed, frontmatter_member(&skill, &frontmatter, member)) {
            // A server need not list every resource.
            (None, _) => check.missing(Finding::peer("`resources/list` does not have the skill")),
            (Some(_), Err(finding)) => check.untestable(finding),
            (Some((_, listed)), Ok(value)) => {
                check.expect(listed, object().member(member, equals(value)))
            }
        };
    }
    let check = ctx.check(FINAL_SEGMENT);
    match (&frontmatter, name_in(&uri)) {
        (Ok(frontmatter), Some(name)) => {
            check.expect(&skill.part(frontmatter), object().member("name", equals(name)))
        }
        (Err(finding), _) => check.untestable(finding.clone()),
        // Not reached: it is the URI of a `SKILL.md`.
        (Ok(_), None) => check,
    };
    judge_meta(ctx, &skill, listed.as_ref().map(|(_, listed)| listed));
    Ok(())
}

/// The type of the contents counts, and without one that of the list.
fn judge_mime_type(ctx: &mut Ctx, skill: &SkillMd, listed: Option<&Value>) {
    let read = skill.contents().and_then(|contents| contents.get("mimeType"));
    let check = ctx.check(MIME_TYPE);
    match (read.or_else(|| listed?.get("mimeType")), skill.0.result()) {
        (Some(mime_type), _) => {
            let evidence = skill.0.evidence().last().copied();
            let mime_type = Part::new("the MIME type of `SKILL.md`", mime_type, evidence);
            check.expect(&mime_type, equals("text/markdown"))
        }
        (None, Err(refused)) => check.untestable(refused),
        (None, Ok(result)) => check.fail(
            Finding::peer("`SKILL.md` has no MIME type")
                .expected("the `mimeType` \"text/markdown\"")
                .got(result.short(120))
                .evidence_all(skill.0.evidence()),
        ),
    };
}

/// A member of the frontmatter that is a string.
fn frontmatter_member<'a>(
    skill: &SkillMd,
    frontmatter: &'a Result<Value, Finding>,
    member: &str,
) -> Result<&'a str, Finding> {
    let frontmatter = frontmatter.as_ref().map_err(Finding::clone)?;
    text(frontmatter, member).ok_or_else(|| {
        Finding::peer(format!("the frontmatter of `SKILL.md` has no {member}"))
            .expected(format!("`{member}` with a text"))
            .got(frontmatter.short(120))
            .evidence_all(skill.0.evidence())
    })
}

fn judge_meta(ctx: &mut Ctx, skill: &SkillMd, listed: Option<&Part<'_>>) {
    let evidence = skill.0.evidence().last().copied();
    let contents = skill.contents();
    let read = contents.map(|contents| Part::new("the read `SKILL.md`", contents, evidence));
    let check = ctx.check(META_PREFIX);
    if let (None, None, Err(refused)) = (&read, listed, skill.0.result()) {
        check.untestable(refused);
        return;
    }
    read.iter().chain(listed).fold(check.pass(), |check, item| {
        check.expect(item, object().optional("_meta", prefixed()))
    });
}

/// Matches `_meta` whose keys begin with a domain in reverse order.
fn prefixed() -> impl Matcher {
    let is_prefixed = |key: &str| {
        let prefix = meta::parts(key).0.filter(|prefix| prefix.contains('.'));
        prefix.is_some_and(|prefix| prefix.split('.').all(meta::is_label))
    };
    satisfying("an object whose keys have a prefix such as `com.example/`", move |meta: &Value| {
        meta.as_object().is_some_and(|meta| meta.keys().all(is_prefixed))
    })
}

proofs! {
    passes on everything();
    warns "sep-2640-skillmd-mimetype" by set("resources/read", "/contents/0/mimeType", "text/plain");
    warns "sep-2640-skillmd-mimetype" on without_mime_type();
    warns "sep-2640-skillmd-metadata-name" by set("resources/list", "/resources/4/name", "SKILL.md");
    warns "sep-2640-skillmd-metadata-name" by set("resources/list", "/resources", json!([])), under Official;
    warns "sep-2640-skillmd-metadata-description" by remove("resources/list", "/resources/4/description");
    catches "sep-2640-final-segment-equals-name"
        by set("resources/read", "/contents/0/text", "---\nname: notes\n---\n");
    catches "sep-2640-final-segment-equals-name" by reply_error("resources/read", -32603);
    catches "sep-2640-final-segment-equals-name" on without_skills(), under Official;
    warns "sep-2640-meta-prefix" by set("resources/list", "/resources/4/_meta", json!({"license": "MIT"}));
    warns "sep-2640-meta-prefix" by set("resources/read", "/contents/0/_meta", json!({"skills/license": "MIT"}));
}

fn without_mime_type() -> Server {
    everything().faults([
        Fault::remove("resources/list", "/resources/4/mimeType"),
        Fault::remove("resources/read", "/contents/0/mimeType"),
    ])
}

/// Lists nothing, neither as resources nor as skills.
fn without_skills() -> Server {
    everything().faults([
        Fault::set("resources/list", "/resources", json!([])),
        Fault::set("skills/list", "/skills", json!([])),
    ])
}
