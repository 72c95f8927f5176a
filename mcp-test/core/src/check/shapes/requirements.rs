//! Which requirement a message breaks that does not have its shape.
//!
//! Some places have a requirement of their own. Otherwise it is that of the broken shape, or else that of the whole message.
//! A requirement counts where it holds and binds the party that broke it; a message that breaks none is wrong nevertheless.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::check::rule;
use crate::check::server_requests::places;
use crate::json::Pointer;
use crate::spec::requirement::{self, Requirement};
use crate::spec::schema::Definition;
use crate::spec::{BoundParty, Revision};
use crate::trace::Party;

/// A message, or `*` for any, or a message and a shape in it; the end of a pointer in it, `*` for any index or name; the requirements about that place.
type About = (&'static str, &'static str, &'static [&'static str]);

/// The kinds of content of a tool's result, by revision.
const TOOL_CONTENT: &[&str] = &[
    "tools.content.types-text-image-resource",
    "tools.content.types-with-audio",
    "tools.content.types-with-resource-link",
];

/// The kinds of content of a prompt, by revision.
const PROMPT_CONTENT: &[&str] = &[
    "prompts.message.types-text-image-resource",
    "prompts.message.types-with-audio",
    "prompts.message.types-with-resource-link",
];

/// The kinds of content of a message of a model, by revision.
const SAMPLING_CONTENT: &[&str] = &[
    "sampling.content.types-text-image",
    "sampling.content.types-with-audio",
    "sampling.content.types-with-tools",
];

#[rustfmt::skip]
const PLACES: &[About] = &[
    ("*", "_meta/io.modelcontextprotocol~1clientCapabilities", &["base.meta-request-required-fields"]),
    ("*", "_meta/io.modelcontextprotocol~1protocolVersion", &["base.meta-request-required-fields"]),
    ("*", "_meta/progressToken", &["progress.token-type"]),
    ("*", "annotations/audience", &["resources.annotations.audience-values"]),
    ("*", "annotations/audience/*", &["resources.annotations.audience-values"]),
    ("*", "annotations/priority", &["resources.annotations.priority-range"]),
    ("*", "params/cursor", &["pagination.cursor.string"]),
    ("*", "result/cacheScope", &["caching.scope.values"]),
    ("*", "result/nextCursor", &["pagination.cursor.string"]),
    ("*", "result/resultType", &["base.result-type-present"]),
    ("*", "result/ttlMs", &["caching.ttl.integer"]),
    ("CallToolResult", "content/*/resource", &["tools.content.embedded-resource"]),
    ("CallToolResult", "content/*/resource/blob", &["tools.content.embedded-resource"]),
    ("CallToolResult", "content/*/resource/uri", &["tools.content.embedded-resource"]),
    ("CallToolResult", "content/*/type", TOOL_CONTENT),
    ("CallToolResult", "result/structuredContent", &["tools.structured.object-only"]),
    ("CallToolResult.AudioContent", "*", &["tools.content.audio-base64"]),
    ("CallToolResult.ImageContent", "*", &["tools.content.image-base64"]),
    ("CallToolResult.ResourceLink", "name", &["tools.content.resource-link"]),
    ("CallToolResult.ResourceLink", "uri", &["tools.content.resource-link"]),
    ("CompleteResult", "completion/values", &["completion.result.max-100"]),
    ("CreateMessageRequest", "params/maxTokens", &["sampling.params.max-tokens-required"]),
    ("CreateMessageResult", "result/content", SAMPLING_CONTENT),
    ("CreateMessageResult", "result/content/*/type", SAMPLING_CONTENT),
    ("CreateMessageResult", "result/content/type", SAMPLING_CONTENT),
    ("CreateMessageResult.AudioContent", "*", &["sampling.content.base64"]),
    ("CreateMessageResult.ImageContent", "*", &["sampling.content.base64"]),
    ("ElicitResult", "result/action", &["elicitation.response.action-values"]),
    ("ElicitResult", "result/content/*", &["elicitation.response.value-types-flat", "elicitation.response.value-types-with-arrays"]),
    ("GetPromptRequest", "params/arguments/*", &["prompts.get.client-arguments-strings"]),
    ("GetPromptResult", "content/resource", &["prompts.content.embedded-text-or-blob"]),
    ("GetPromptResult", "content/resource/blob", &["prompts.content.embedded-text-or-blob"]),
    ("GetPromptResult", "content/resource/uri", &["prompts.content.embedded-uri"]),
    ("GetPromptResult", "content/type", PROMPT_CONTENT),
    ("GetPromptResult", "messages/*/content", &["prompts.message.single-content"]),
    ("GetPromptResult", "messages/*/role", &["prompts.message.role-values"]),
    ("GetPromptResult.AudioContent", "*", &["prompts.content.audio-base64-mime"]),
    ("GetPromptResult.ImageContent", "*", &["prompts.content.image-base64-mime"]),
    ("ListResourceTemplatesResult", "resourceTemplates/*/uriTemplate", &["resources.templates.uri-template-valid"]),
    ("ListResourcesResult", "resources/*/uri", &["resources.definition.uri-valid"]),
    ("ListToolsResult", "tools/*/execution/taskSupport", &["tools.definition.task-support-enum"]),
    ("ListToolsResult", "tools/*/inputSchema", &["tools.definition.input-schema-object-root"]),
    ("ListToolsResult", "tools/*/inputSchema/type", &["tools.definition.input-schema-object-root"]),
    ("ListToolsResult", "tools/*/outputSchema/type", &["tools.definition.output-schema-object-root"]),
    ("ProgressNotification", "params/progressToken", &["progress.token-type"]),
    ("ReadResourceResult", "contents/*", &["resources.contents.text-or-blob"]),
    ("ReadResourceResult", "contents/*/blob", &["resources.contents.blob-base64"]),
];

/// The requirements that demand the shape of a definition, by their pages.
static OF_SHAPES: LazyLock<HashMap<&'static str, Vec<&'static Requirement>>> =
    LazyLock::new(|| {
        let mut by_page: HashMap<_, Vec<_>> = HashMap::new();
        // The page of such a requirement is `schema#<definition>`, which ties it to the shape.
        for found in requirement::of_area("schema").iter().filter(|found| found.level.is_must()) {
            if let Some(anchor) = found.page().and_then(|page| page.strip_prefix("schema#")) {
                by_page.entry(anchor).or_default().push(found);
            }
        }
        by_page
    });

/// The requirement that is broken by `party` at a place of the message, if one is known.
pub(super) fn find(
    shape: &str,
    pointer: &Pointer,
    message: Option<&Definition>,
    revision: Revision,
    party: Party,
) -> Option<&'static str> {
    let binds = |found: &&'static Requirement| is_bound(found, revision, party);
    let name = message.map(Definition::name);
    let is_of = |of: &str| match of.split_once('.') {
        Some((message, part)) => name == Some(message) && shape == part,
        None => of == "*" || name == Some(of),
    };
    let is_about = |(of, end, _): &&About| is_of(of) && ends_in(pointer, end);
    let of_place = PLACES.iter().filter(is_about).flat_map(|(_, _, ids)| *ids);
    let of_place = of_place.filter_map(|id| requirement::find(id));
    let of_shape = demanded(shape).chain(message.into_iter().flat_map(|it| demanded(it.name())));
    of_place.chain(of_shape).find(binds).map(|found| found.id)
}

/// The requirements about a message of this name, and about places in it, that bind the party at the revision.
pub(super) fn of_message(
    name: &str,
    revision: Revision,
    party: Party,
) -> impl Iterator<Item = &'static str> {
    let of_places = PLACES.iter().filter(move |(of, _, _)| *of == name);
    let of_places = of_places.flat_map(|(_, _, ids)| *ids).filter_map(|id| requirement::find(id));
    let binds = move |found: &&'static Requirement| is_bound(found, revision, party);
    of_places.chain(demanded(name)).filter(binds).map(|found| found.id)
}

/// All requirements that a finding about a shape may cite.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    let of_places = PLACES.iter().flat_map(|(_, _, ids)| ids.iter().copied());
    let of_shapes = OF_SHAPES.values().flatten().map(|found| found.id);
    let others = [rule::OF_SHAPES, rule::OF_SERVER_REQUESTS, places::SHARED];
    let others = others.into_iter().flatten().map(|rule| rule.id());
    of_places.chain(of_shapes).chain(others)
}

/// The requirements for a definition; those for params are reported for their message.
fn demanded(definition: &str) -> impl Iterator<Item = &'static Requirement> {
    let anchor = definition.strip_suffix("Params").unwrap_or(definition).to_ascii_lowercase();
    OF_SHAPES.get(anchor.as_str()).into_iter().flatten().copied()
}

/// Whether a requirement binds the party at the revision.
fn is_bound(found: &Requirement, revision: Revision, party: Party) -> bool {
    let bound = match found.binds {
        BoundParty::Both => true,
        BoundParty::Client => party == Party::Client,
        BoundParty::Server => party == Party::Server,
        // No party of a trace is an authorization server.
        BoundParty::AuthorizationServer => false,
    };
    bound && found.revisions.contains(revision)
}

fn ends_in(pointer: &Pointer, end: &str) -> bool {
    // Compared as written: `PLACES` has `~1` for `/` in a name, too.
    let mut parts = pointer.as_str().rsplit('/');
    end.rsplit('/').all(|wanted| parts.next().is_some_and(|part| wanted == "*" || part == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_requirements_that_exist_and_must_be_kept() {
        for (_, end, ids) in PLACES {
            for id in *ids {
                let found = requirement::find(id);
                assert!(found.is_some_and(|it| it.id == *id && it.level.is_must()), "{end}: {id}");
            }
        }
        assert!(PLACES.is_sorted_by_key(|(of, end, _)| (of, end)));
    }

    #[test]
    fn a_pointer_is_known_by_its_end() {
        let pointer = Pointer::parse("/result/tools/3/inputSchema").expect("a pointer");
        assert!(
            ends_in(&pointer, "tools/*/inputSchema") && !ends_in(&pointer, "tools/inputSchema")
        );
        assert!(!ends_in(&pointer, "x/y/result/tools/*/inputSchema"));
    }

    #[test]
    fn it_is_the_one_that_holds_and_binds() {
        let id = |shape, party, revision| find(shape, &Pointer::root(), None, revision, party);
        use Party::{Client, Server};
        use Revision::{V2025_03_26, V2025_11_25};
        assert_eq!(id("Tool", Server, V2025_11_25), Some("schema.tool"));
        assert_eq!(id("Tool", Client, V2025_11_25), None);
        assert_eq!(id("Icon", Server, V2025_11_25), Some("schema.icon"));
        assert_eq!(id("Icon", Server, V2025_03_26), None);
        let params = id("CallToolRequestParams", Client, V2025_11_25);
        assert_eq!(params, Some("schema.call-tool-request"));
    }
}
