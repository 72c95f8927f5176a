//! Where the official schema says something else than the specification's text. We follow the text.
//!
//! Each disagreement has its line, begun with `~`, in the shape files: read with [`Authority::Schema`](super::Authority)
//! the shapes say what the official schema says. Nothing else differs; a differential test holds us to it.
//!
//! That a request has an id and a notification has none is beside the definitions: [`Schemas::judge`](super::Schemas::judge)
//! asks for it where the text counts, and the official schema does not until 2025-11-25, or not at all.

use crate::spec::{Revision, Revisions};

/// Something that the official schema says otherwise than the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The name that the shape files use.
    pub id: &'static str,
    /// Where they disagree.
    pub revisions: Revisions,
    /// The definition it is about.
    pub definition: &'static str,
    /// What the text says, and what the schema says instead.
    pub says: &'static str,
    /// Why we follow the text here.
    pub reason: &'static str,
    /// Where the text stands, for [`url`](crate::spec::url).
    pub page: &'static str,
}

impl Disagreement {
    /// The address of the text at `revision`.
    pub fn link(&self, revision: Revision) -> String {
        crate::spec::page::url_within(self.page, self.revisions, revision)
    }
}

/// All disagreements, by id.
pub const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        id: "base64",
        revisions: Revisions::all(),
        definition: "ImageContent",
        says: "Data of images, audio and blobs is Base64. The schema gives these strings the format `byte`, which no \
               JSON Schema defines, so that its validators take any string.",
        reason: "A string that is not Base64 cannot be decoded by the peer that receives it.",
        page: "server/prompts#image-content",
    },
    Disagreement {
        id: "cancelled-request",
        revisions: Revisions::only(Revision::V2025_11_25),
        definition: "CancelledNotificationParams",
        says: "The notification contains the id of the request to cancel, and is not used for tasks. The schema lets \
               the id be absent.",
        reason: "Without an id there is nothing that it could cancel.",
        page: "basic/patterns/cancellation#cancellation-flow",
    },
    Disagreement {
        id: "completion-values",
        revisions: Revisions::until(Revision::V2025_11_25),
        definition: "CompleteResult",
        says: "A result holds at most 100 values. Until 2025-11-25 the schema lets it hold any number.",
        reason: "The limit has been in the text since the first revision; 2026-07-28 writes it into the schema.",
        page: "server/utilities/completion#completion-results",
    },
    Disagreement {
        id: "elicited-numbers",
        revisions: Revisions::from(Revision::V2025_06_18),
        definition: "ElicitResult",
        says: "A form asks for properties of type `number`, and what is submitted matches the schema that was asked for. \
               The schema takes no numbers with a fraction in `content`, only integers.",
        reason: "The schema is generated from types that say `number`, by a generator that writes `integer` for it; for \
                 the bounds and defaults of a form 2026-07-28 has mended that, for what is submitted not.",
        page: "client/elicitation#requested-schema",
    },
    Disagreement {
        id: "json-values",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "JSONValue",
        says: "A JSON value is a string, a number, a boolean, null, an object or an array. The schema leaves out null, \
               and numbers that are not integers.",
        reason: "The schema is generated from the types that the page shows, and loses these on the way.",
        page: "schema#jsonvalue",
    },
    Disagreement {
        id: "meta-of-params",
        revisions: Revisions::until(Revision::V2025_06_18),
        definition: "CallToolRequestParams",
        says: "Any request may have a `_meta` object with a progress token, which is a string or an integer. The \
               schema says so of requests and notifications in general, but not of those that have params of their own.",
        reason: "What holds of all holds of each; 2025-11-25 writes it into every definition.",
        page: "basic/patterns/progress#progress-flow",
    },
    Disagreement {
        id: "request-meta",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "JSONRPCRequest",
        says: "The version and the client's capabilities are in `_meta` of every request. The schema asks for them \
               only in the requests that it knows.",
        reason: "A request without them is malformed and has to be refused, whatever its method.",
        page: "basic/index#meta",
    },
    Disagreement {
        id: "unreadable-id",
        revisions: Revisions::all(),
        definition: "JSONRPCErrorResponse",
        says: "Who cannot read the id of a message answers with the id null, as JSON-RPC 2.0 demands, which messages \
               follow; over HTTP, from 2025-03-26 on, an error may have no id. The schema asks for an id until \
               2025-06-18, and does not know null afterwards.",
        reason: "There is no id that such an error could repeat.",
        page: "basic/index#error-responses",
    },
];
