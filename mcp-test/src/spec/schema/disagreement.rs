//! Where the official schema says something else than the specification's text. We follow the text.
//!
//! Each disagreement has its line, begun with `~`, in the shape files: read with [`Authority::Schema`](super::Authority)
//! the shapes say what the official schema says. Nothing else in them differs; a differential test holds us to it.
//!
//! # Beside the definitions
//!
//! One rule of the text has no line, since it stands in no definition: a request has an id and a notification has none.
//! [`Schemas::judge`](super::Schemas::judge) and [`Schemas::judge_value`](super::Schemas::judge_value) ask for it where
//! the text counts; a [`Definition`](super::Definition) by itself does not.
//!
//! What the text asks across messages is not asked here at all, for no message shows it by itself: whether a
//! notification that lists have changed came on the stream of a subscription, and then with its id. That is for
//! scenarios.

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
///
/// Besides, there is the rule of ids: a request has one and a notification has none. It is judged where the text counts,
/// and has no entry here since it stands in no definition; see [`Schemas::judge`](super::Schemas::judge).
pub const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        id: "acknowledged-subscription",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "SubscriptionsAcknowledgedNotificationParams",
        says: "An acknowledgement carries the id of its subscription in `_meta`, as all does that comes on the stream of \
               one. The schema lets any notification be without, since only some come on such a stream.",
        reason: "An acknowledgement always comes on one, and over stdio nothing else tells which it acknowledges.",
        page: "basic/patterns/subscriptions#acknowledgment",
    },
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
        id: "input-or-state",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "InputRequiredResult",
        says: "A result that asks for input holds at least one of `inputRequests` and `requestState`. The schema lets both \
               be absent, and demands one of them only in its description.",
        reason: "Without either the client has nothing to answer and nothing to repeat its request with.",
        page: "basic/patterns/mrtr#server-requirements-basic-workflow",
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
        id: "meta-of-unknown",
        revisions: Revisions::from(Revision::V2025_11_25),
        definition: "JSONRPCRequest",
        says: "What `_meta` of params is does not depend on the method: an object with reserved members, from 2026-07-28 \
               on with the version and the client's capabilities in that of every request. The schema says so only of \
               the requests and notifications that it knows.",
        reason: "Who does not know a method reads `_meta` all the same; a request of 2026-07-28 without it is malformed \
                 and has to be refused, whatever its method.",
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
