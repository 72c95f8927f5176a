//! Resources.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/resources>

mod template_values;

scenarios![
    resources_list,
    resources_read_text,
    resources_read_binary,
    resources_templates_read,
    resources_subscribe,
    resources_unsubscribe,
    sep_2164_resource_not_found,
    resources_read_unknown,
    resources_read_invalid,
    resources_read_listed,
    resources_templates,
    resources_subscriptions,
];

use mcp_test_core::spec::uri_template::UriTemplate;

use crate::scenarios::prelude::*;

/// After how many bytes a scenario reads no further resource, and the largest one that it reads, as far as its size is listed.
const MOST_BYTES: usize = 1_000_000;

/// How much a scenario has read.
#[derive(Default)]
pub(super) struct ReadBudget {
    bytes: usize,
}

impl ReadBudget {
    /// Whether a listed resource may still be read.
    pub(super) fn admits(&self, resource: &Value) -> bool {
        let size = resource.get("size").and_then(Value::as_f64);
        #[expect(clippy::cast_precision_loss, reason = "a million is exact")]
        let is_small = size.is_none_or(|size| size <= MOST_BYTES as f64);
        is_small && self.bytes <= MOST_BYTES
    }

    /// Counts what was read.
    pub(super) fn spend(&mut self, reply: &Reply) {
        self.bytes += reply.outcome().map_or(0, |result| result.to_string().len());
    }
}

/// Whether a template of the server may match the URI, so that it may exist although it is not listed.
async fn is_template_for(ctx: &mut Ctx, uri: &str) -> Result<bool, Finding> {
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?;
    let mut templates = templates.keys(ItemKind::ResourceTemplate);
    Ok(templates.any(|template| UriTemplate::new(template).may_match(uri)))
}

/// A member of every object of JavaScript, which a server finds that looks up a name or URI in one.
pub(super) const OBJECT_MEMBER: &str = "constructor";
