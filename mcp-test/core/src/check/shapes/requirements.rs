//! Which requirement a message breaks that does not have its shape.
//!
//! Some places have a requirement of their own. Otherwise it is that of the broken shape, or else that of the whole message.
//! A requirement counts where it holds and binds the party that broke it; a message that breaks none is wrong nevertheless.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::check::server_requests::{form, places};
use crate::json::Pointer;
use crate::spec::requirement::{self, Requirement};
use crate::spec::schema::Definition;
use crate::spec::{BoundParty, Revision};
use crate::trace::Party;

/// A message, or `*` for any, or a message and a shape in it; the end of a pointer in it, `*` for any index or name; the requirements about that place.
type About = (&'static str, &'static str, &'static [&'static Requirement]);

/// The kinds of content of a tool's result, by revision.
const TOOL_CONTENT: &[&Requirement] = &[
    Requirement::TOOLS_CONTENT_TYPES_TEXT_IMAGE_RESOURCE,
    Requirement::TOOLS_CONTENT_TYPES_WITH_AUDIO,
    Requirement::TOOLS_CONTENT_TYPES_WITH_RESOURCE_LINK,
];

/// The kinds of content of a prompt, by revision.
const PROMPT_CONTENT: &[&Requirement] = &[
    Requirement::PROMPTS_MESSAGE_TYPES_TEXT_IMAGE_RESOURCE,
    Requirement::PROMPTS_MESSAGE_TYPES_WITH_AUDIO,
    Requirement::PROMPTS_MESSAGE_TYPES_WITH_RESOURCE_LINK,
];

/// The kinds of content of a message of a model, by revision.
const SAMPLING_CONTENT: &[&Requirement] = &[
    Requirement::SAMPLING_CONTENT_TYPES_TEXT_IMAGE,
    Requirement::SAMPLING_CONTENT_TYPES_WITH_AUDIO,
    Requirement::SAMPLING_CONTENT_TYPES_WITH_TOOLS,
];

#[rustfmt::skip]
const PLACES: &[About] = &[
    ("*", "_meta/io.modelcontextprotocol~1clientCapabilities", &[Requirement::BASE_META_REQUEST_REQUIRED_FIELDS]),
    ("*", "_meta/io.modelcontextprotocol~1protocolVersion", &[Requirement::BASE_META_REQUEST_REQUIRED_FIELDS]),
    ("*", "_meta/progressToken", &[Requirement::PROGRESS_TOKEN_TYPE]),
    ("*", "annotations/audience", &[Requirement::RESOURCES_ANNOTATIONS_AUDIENCE_VALUES]),
    ("*", "annotations/audience/*", &[Requirement::RESOURCES_ANNOTATIONS_AUDIENCE_VALUES]),
    ("*", "annotations/priority", &[Requirement::RESOURCES_ANNOTATIONS_PRIORITY_RANGE]),
    ("*", "params/cursor", &[Requirement::PAGINATION_CURSOR_STRING]),
    ("*", "result/cacheScope", &[Requirement::CACHING_SCOPE_VALUES]),
    ("*", "result/nextCursor", &[Requirement::PAGINATION_CURSOR_STRING]),
    ("*", "result/resultType", &[Requirement::BASE_RESULT_TYPE_PRESENT]),
    ("*", "result/ttlMs", &[Requirement::CACHING_TTL_INTEGER]),
    ("CallToolResult", "content/*/resource", &[Requirement::TOOLS_CONTENT_EMBEDDED_RESOURCE]),
    ("CallToolResult", "content/*/resource/blob", &[Requirement::TOOLS_CONTENT_EMBEDDED_RESOURCE]),
    ("CallToolResult", "content/*/resource/uri", &[Requirement::TOOLS_CONTENT_EMBEDDED_RESOURCE]),
    ("CallToolResult", "content/*/type", TOOL_CONTENT),
    ("CallToolResult", "result/structuredContent", &[Requirement::TOOLS_STRUCTURED_OBJECT_ONLY]),
    ("CallToolResult.AudioContent", "*", &[Requirement::TOOLS_CONTENT_AUDIO_BASE64]),
    ("CallToolResult.ImageContent", "*", &[Requirement::TOOLS_CONTENT_IMAGE_BASE64]),
    ("CallToolResult.ResourceLink", "name", &[Requirement::TOOLS_CONTENT_RESOURCE_LINK]),
    ("CallToolResult.ResourceLink", "uri", &[Requirement::TOOLS_CONTENT_RESOURCE_LINK]),
    ("CompleteResult", "completion/values", &[Requirement::COMPLETION_RESULT_MAX_100]),
    ("CreateMessageRequest", "params/maxTokens", &[Requirement::SAMPLING_PARAMS_MAX_TOKENS_REQUIRED]),
    ("CreateMessageResult", "result/content", SAMPLING_CONTENT),
    ("CreateMessageResult", "result/content/*/type", SAMPLING_CONTENT),
    ("CreateMessageResult", "result/content/type", SAMPLING_CONTENT),
    ("CreateMessageResult.AudioContent", "*", &[Requirement::SAMPLING_CONTENT_BASE64]),
    ("CreateMessageResult.ImageContent", "*", &[Requirement::SAMPLING_CONTENT_BASE64]),
    ("ElicitResult", "result/action", &[Requirement::ELICITATION_RESPONSE_ACTION_VALUES]),
    ("ElicitResult", "result/content/*", &[Requirement::ELICITATION_RESPONSE_VALUE_TYPES_FLAT, Requirement::ELICITATION_RESPONSE_VALUE_TYPES_WITH_ARRAYS]),
    ("GetPromptRequest", "params/arguments/*", &[Requirement::PROMPTS_GET_CLIENT_ARGUMENTS_STRINGS]),
    ("GetPromptResult", "content/resource", &[Requirement::PROMPTS_CONTENT_EMBEDDED_TEXT_OR_BLOB]),
    ("GetPromptResult", "content/resource/blob", &[Requirement::PROMPTS_CONTENT_EMBEDDED_TEXT_OR_BLOB]),
    ("GetPromptResult", "content/resource/uri", &[Requirement::PROMPTS_CONTENT_EMBEDDED_URI]),
    ("GetPromptResult", "content/type", PROMPT_CONTENT),
    ("GetPromptResult", "messages/*/content", &[Requirement::PROMPTS_MESSAGE_SINGLE_CONTENT]),
    ("GetPromptResult", "messages/*/role", &[Requirement::PROMPTS_MESSAGE_ROLE_VALUES]),
    ("GetPromptResult.AudioContent", "*", &[Requirement::PROMPTS_CONTENT_AUDIO_BASE64_MIME]),
    ("GetPromptResult.ImageContent", "*", &[Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME]),
    ("ListResourceTemplatesResult", "resourceTemplates/*/uriTemplate", &[Requirement::RESOURCES_TEMPLATES_URI_TEMPLATE_VALID]),
    ("ListResourcesResult", "resources/*/uri", &[Requirement::RESOURCES_DEFINITION_URI_VALID]),
    ("ListToolsResult", "tools/*/execution/taskSupport", &[Requirement::TOOLS_DEFINITION_TASK_SUPPORT_ENUM]),
    ("ListToolsResult", "tools/*/inputSchema", &[Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_OBJECT_ROOT]),
    ("ListToolsResult", "tools/*/inputSchema/type", &[Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_OBJECT_ROOT]),
    ("ListToolsResult", "tools/*/outputSchema/type", &[Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_OBJECT_ROOT]),
    ("ProgressNotification", "params/progressToken", &[Requirement::PROGRESS_TOKEN_TYPE]),
    ("ReadResourceResult", "contents/*", &[Requirement::RESOURCES_CONTENTS_TEXT_OR_BLOB]),
    ("ReadResourceResult", "contents/*/blob", &[Requirement::RESOURCES_CONTENTS_BLOB_BASE64]),
];

/// The requirements that demand the shape of a definition, by their pages.
static OF_SHAPES: LazyLock<HashMap<&'static str, Vec<&'static Requirement>>> =
    LazyLock::new(|| {
        let mut by_page: HashMap<_, Vec<_>> = HashMap::new();
        // The page of such a requirement is `schema#<definition>`, which ties it to the shape.
        for found in requirement::all().filter(|it| it.area() == "schema" && it.level.is_must()) {
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
) -> Option<&'static Requirement> {
    let binds = |found: &&'static Requirement| is_bound(found, revision, party);
    let name = message.map(Definition::name);
    let is_of = |of: &str| match of.split_once('.') {
        Some((message, part)) => name == Some(message) && shape == part,
        None => of == "*" || name == Some(of),
    };
    let is_about = |(of, end, _): &&About| is_of(of) && ends_in(pointer, end);
    let of_place = PLACES.iter().filter(is_about).flat_map(|(_, _, cited)| *cited).copied();
    let of_shape = demanded(shape).chain(message.into_iter().flat_map(|it| demanded(it.name())));
    of_place.chain(of_shape).find(binds)
}

/// The requirements about a message of this name, and about places in it, that bind the party at the revision.
pub(super) fn for_message(
    name: &str,
    revision: Revision,
    party: Party,
) -> impl Iterator<Item = &'static Requirement> {
    let of_places = PLACES.iter().filter(move |(of, _, _)| *of == name);
    let of_places = of_places.flat_map(|(_, _, cited)| *cited).copied();
    let binds = move |found: &&'static Requirement| is_bound(found, revision, party);
    of_places.chain(demanded(name)).filter(binds)
}

/// All requirements that a finding about a shape may cite.
pub(crate) fn all() -> impl Iterator<Item = &'static Requirement> {
    let of_places = PLACES.iter().flat_map(|(_, _, cited)| *cited).copied();
    let of_shapes = OF_SHAPES.values().flatten().copied();
    let of_requests =
        [places::CITED, form::CITED, form::CITED_OF_SHAPES].into_iter().flatten().copied();
    let others = of_requests.chain([Requirement::MCP_TEST_MESSAGE_SHAPE]);
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
    fn the_table_names_requirements_that_must_be_kept() {
        for (_, end, cited) in PLACES {
            assert!(
                cited.iter().all(|requirement| requirement.level.is_must()),
                "{end}: {cited:?}"
            );
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
        assert_eq!(id("Tool", Server, V2025_11_25), Some(Requirement::SCHEMA_TOOL));
        assert_eq!(id("Tool", Client, V2025_11_25), None);
        assert_eq!(id("Icon", Server, V2025_11_25), Some(Requirement::SCHEMA_ICON));
        assert_eq!(id("Icon", Server, V2025_03_26), None);
        let params = id("CallToolRequestParams", Client, V2025_11_25);
        assert_eq!(params, Some(Requirement::SCHEMA_CALL_TOOL_REQUEST));
    }
}
