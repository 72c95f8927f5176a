//! `skills/get`, and the `SKILL.md` of an entry.

use mcp_test_core::json::Pointer;
use mcp_test_core::scenario::Subject;

use super::entries::{described, files_or_dynamic};
use super::entry::Entry;
use crate::scenarios::matchers::caching_hints;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};
use crate::scenarios::skills::skills_server::{SkillMd, skill_uri};

/// A URI that no server has.
pub(super) const UNKNOWN: &str = "skill://mcp-conformance-nonexistent-skill-9f3a2b/SKILL.md";

pub(super) const IMPLEMENTED: &str = "sep-2640-skills-get-implemented";
pub(super) const HINTS: &str = "sep-2640-skills-get-cache-attributes";
const SHAPE: &str = "sep-2640-skills-get-entry-shape";
const NO_CURSOR: &str = "sep-2640-skills-get-no-cursor";
const UNKNOWN_URI: &str = "sep-2640-skills-get-unknown-uri-invalid-params";

const TEXT: &str = "sep-2640-skillmd-required";
const FRONTMATTER: &str = "sep-2640-skillmd-frontmatter";
const IDENTICAL: &str = "sep-2640-entry-frontmatter-identical";

/// The replies to `skills/get`: for the first listed URI, and for an unknown one.
pub(super) struct Retrieved {
    uri: String,
    pub(super) listed: Reply,
    unknown: Reply,
}

impl Retrieved {
    /// `None` if no entry has a URI.
    pub(super) async fn request(
        ctx: &mut Ctx,
        entries: &[Entry<'_>],
    ) -> Result<Option<Self>, Finding> {
        let Some(uri) = entries.iter().find_map(Entry::uri) else { return Ok(None) };
        let listed = ctx.request("skills/get", json!({ "uri": uri })).await?;
        let unknown = ctx.request("skills/get", json!({ "uri": UNKNOWN })).deliberate().await?;
        Ok(Some(Self { uri: uri.to_owned(), listed, unknown }))
    }

    pub(super) fn judge(&self, ctx: &mut Ctx) {
        let Self { uri, listed, unknown } = self;
        ctx.check(IMPLEMENTED).judge(listed.result().map(drop));
        let is_unknown_refused =
            is_error(unknown).and_then(|()| has_code(unknown, error_code::INVALID_PARAMS));
        if listed.error().is_some() {
            for id in [SHAPE, NO_CURSOR, UNKNOWN_URI] {
                ctx.check(id).skip("`skills/get` returns no skill");
            }
            return;
        }
        let entry = object()
            .member("uri", equals(uri.as_str()))
            .member("frontmatter", object())
            .member("resources", files_or_dynamic());
        ctx.check(SHAPE).expect(listed, object().member("skill", entry));
        ctx.check(HINTS).expect(listed, caching_hints());
        ctx.check(NO_CURSOR).expect(listed, object().without("nextCursor"));
        ctx.check(UNKNOWN_URI).judge(is_unknown_refused);
    }
}

/// The first listed `SKILL.md` and its entry.
pub(super) struct ReadSkill<'a> {
    entry: &'a Entry<'a>,
    skill: SkillMd,
}

impl<'a> ReadSkill<'a> {
    /// `None` if no entry has the URI of a `SKILL.md`.
    pub(super) async fn request(
        ctx: &mut Ctx,
        entries: &'a [Entry<'a>],
    ) -> Result<Option<Self>, Finding> {
        let first = entries.iter().find_map(|entry| Some((entry, skill_uri(entry.value)?)));
        let Some((entry, uri)) = first else { return Ok(None) };
        Ok(Some(Self { entry, skill: SkillMd::read(ctx, uri).await? }))
    }

    pub(super) fn judge(&self, ctx: &mut Ctx) {
        let text = self.skill.text().map(drop);
        let is_readable = text.is_ok();
        ctx.check(TEXT).judge(text);
        if !is_readable {
            for id in [FRONTMATTER, IDENTICAL] {
                ctx.check(id).skip("`SKILL.md` cannot be read");
            }
            return;
        }
        let frontmatter = self.skill.frontmatter();
        let check = ctx.check(FRONTMATTER);
        match &frontmatter {
            Ok(frontmatter) => check.expect(&self.skill.part(frontmatter), described()),
            Err(finding) => check.fail(finding.clone()),
        };
        let listed = self.entry.frontmatter().and_then(Value::as_object);
        let check = ctx.check(IDENTICAL);
        match (frontmatter.as_ref().map(Value::as_object), listed) {
            (Ok(Some(written)), Some(listed)) => check.judge(self.compare(written, listed)),
            _ => check.skip("no frontmatter to compare"),
        };
    }

    /// Compares the members of both; one that is missing is null, as in the official check.
    fn compare(&self, written: &Object, listed: &Object) -> Result<(), Finding> {
        let null = Value::Null;
        for name in written.keys().chain(listed.keys()) {
            let expected = written.get(name).unwrap_or(&null).clone();
            let outcome = equals(expected).check(listed.get(name).unwrap_or(&null));
            outcome.map_err(|mismatch| {
                let at = Pointer::root().member("frontmatter").member(name);
                self.entry.part().finding(&mismatch.within(at))
            })?;
        }
        Ok(())
    }
}
