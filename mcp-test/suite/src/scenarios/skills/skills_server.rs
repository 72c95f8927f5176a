//! What the scenarios for the skills extension share: its declaration, lists page by page, and the `SKILL.md` of a skill.

use std::iter::once;

use mcp_test_core::skill_file;

use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2640;

/// The extension in the result of `server/discover`.
const SETTINGS: &str = "/capabilities/extensions/io.modelcontextprotocol~1skills";

/// The bound of the official suite on the pages of a list.
const MAX_PAGES: usize = 50;

/// An official check, whose name is its id.
pub(super) const fn check(
    id: &'static str,
    description: &'static str,
    requirements: &'static [&'static Requirement],
) -> CheckSpec {
    CheckSpec::own(id, description, requirements).official(&[SEP_2640]).named(id)
}

/// The settings with which the server declares the extension, and the reply that has them.
///
/// Without the extension, every check that each run makes is skipped.
pub(super) async fn settings(ctx: &mut Ctx) -> Result<Option<(Reply, Value)>, Finding> {
    let reply = ctx.discover().await?;
    let settings = reply.outcome().ok().and_then(|result| result.at(SETTINGS)).cloned();
    if settings.is_none() {
        ctx.skip_the_rest("the server does not declare the extension for skills");
    }
    Ok(settings.map(|settings| (reply, settings)))
}

/// The pages of a list.
pub(super) struct Pages {
    pub(super) first: Reply,
    /// The pages after it; the last one may be an error.
    pub(super) others: Vec<Reply>,
    /// Whether the list ends, as far as its pages were requested.
    pub(super) end: Result<(), Finding>,
}

impl Pages {
    /// Requests a list, page by page, until a page is the last one, an error, or one too many.
    pub(super) async fn request(
        ctx: &mut Ctx,
        method: &str,
        params: serde_json::Value,
    ) -> Result<Self, Finding> {
        let first = ctx.request(method, params.clone()).await?;
        let mut pages = Self { first, others: Vec::new(), end: Ok(()) };
        let mut cursors: Vec<String> = Vec::new();
        while let Some(cursor) = next_cursor(pages.last()) {
            let wrong = if cursors.contains(&cursor) {
                Some(("a new cursor on each page", format!("the cursor {cursor:?} again")))
            } else if pages.others.len() + 1 == MAX_PAGES {
                Some(("an end of the list", format!("more than {MAX_PAGES} pages")))
            } else {
                None
            };
            if let Some((expected, got)) = wrong {
                pages.end = Err(Finding::peer(format!("the list of `{method}` does not end"))
                    .expected(expected)
                    .got(got)
                    .evidence_all(pages.last().evidence()));
                break;
            }
            let page = ctx.request(method, params.clone()).param("cursor", cursor.as_str()).await?;
            cursors.push(cursor);
            pages.others.push(page);
        }
        Ok(pages)
    }

    /// Takes the refusal of any page for that of the list, as the official suite does.
    pub(super) fn refuse_as_a_whole(&mut self) {
        if let Some(refused) = self.others.pop_if(|page| page.outcome().is_err()) {
            self.others.clear();
            self.first = refused;
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Reply> {
        once(&self.first).chain(&self.others)
    }

    /// The items of all pages, each with its page.
    pub(super) fn items(&self, member: &str) -> impl Iterator<Item = (&Reply, &Value)> {
        self.all().flat_map(move |page| {
            let items = page.outcome().ok().and_then(|result| result.get(member)?.as_array());
            items.unwrap_or_default().iter().map(move |item| (page, item))
        })
    }

    fn last(&self) -> &Reply {
        self.others.last().unwrap_or(&self.first)
    }
}

fn next_cursor(page: &Reply) -> Option<String> {
    page.outcome().ok()?.get("nextCursor")?.as_str().map(str::to_owned)
}

/// A member of an item that is a string.
pub(super) fn text<'a>(item: &'a Value, member: &str) -> Option<&'a str> {
    item.get(member).and_then(Value::as_str)
}

/// The URI of an item, if it is that of a `SKILL.md`.
pub(super) fn skill_uri(item: &Value) -> Option<&str> {
    text(item, "uri").filter(|uri| directory(uri).is_some())
}

/// The directory of a skill, from the URI of its `SKILL.md`.
pub(super) fn directory(uri: &str) -> Option<&str> {
    uri.strip_suffix("/SKILL.md")
}

/// The name of a skill in the URI of its `SKILL.md`: the last segment of its directory.
pub(super) fn name_in(uri: &str) -> Option<&str> {
    directory(uri)?.rsplit('/').next()
}

/// A `SKILL.md`, as the server returned it.
pub(super) struct SkillMd(pub(super) Reply);

impl SkillMd {
    pub(super) async fn read(ctx: &mut Ctx, uri: &str) -> Result<Self, Finding> {
        Ok(Self(ctx.request("resources/read", json!({ "uri": uri })).await?))
    }

    pub(super) fn contents(&self) -> Option<&Value> {
        self.0.outcome().ok()?.at("/contents/0")
    }

    /// Its text.
    ///
    /// # Errors
    ///
    /// If the server refused the request, or returned no text.
    pub(super) fn text(&self) -> Result<&str, Finding> {
        let result = self.0.result()?;
        self.contents().and_then(|contents| text(contents, "text")).ok_or_else(|| {
            Finding::peer("`SKILL.md` has no text")
                .expected("`contents` with a `text`")
                .got(result.short(120))
                .evidence_all(self.0.evidence())
        })
    }

    /// The frontmatter, as JSON.
    ///
    /// # Errors
    ///
    /// As [`Self::text`]; also if the text does not begin with a mapping in YAML.
    pub(super) fn frontmatter(&self) -> Result<Value, Finding> {
        skill_file::frontmatter(self.text()?).map_err(|got| {
            Finding::peer("`SKILL.md` does not begin with frontmatter")
                .expected("a line `---`, a mapping in YAML, and another line `---`")
                .got(got)
                .evidence_all(self.0.evidence())
        })
    }

    /// The frontmatter, to be examined.
    pub(super) fn part<'a>(&self, frontmatter: &'a Value) -> Part<'a> {
        let evidence = self.0.evidence().last().copied();
        Part::new("the frontmatter of `SKILL.md`", frontmatter, evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_skill_is_the_last_directory_of_its_uri() {
        assert_eq!(name_in("skill://acme/billing/refunds/SKILL.md"), Some("refunds"));
        assert_eq!(name_in("skill://refunds/SKILL.md"), Some("refunds"));
        assert_eq!(name_in("skill://refunds/skill.md"), None);
    }
}
