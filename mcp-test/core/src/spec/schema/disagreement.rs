//! The disagreements between the official schema and the specification's text, where we follow the text.
//!
//! Each has its lines, marked with `~`, in the shape files: read with [`Authority::Schema`](super::Authority) the shapes
//! equal the official schema. A differential test shows that they differ in nothing else.
//!
//! One more disagreement is not in a definition: by the text a request has an id and a notification has none.
//! [`Schemas::validate`](super::Schemas::validate) checks it where the text is the authority; a
//! [`Definition`](super::Definition) alone does not.
//!
//! Rules across messages are left to scenarios, because no single message shows them: whether a change notification was
//! sent on the stream of a subscription, for instance, and so needs its id.

use crate::spec::{Revision, Revisions};

/// A difference between the official schema and the text.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disagreement {
    /// Its id in the shape files.
    pub id: &'static str,
    /// The revisions at which they disagree.
    pub revisions: Revisions,
    /// The name of the definition that differs.
    pub definition: &'static str,
    /// What the text says, and what the schema says instead.
    pub difference: &'static str,
    /// What the text allows and the schema does not, to be read after "the specification allows it:".
    pub allowed: Option<&'static str>,
    /// Why we follow the text.
    pub reason: &'static str,
    /// The page with the text, for [`url`](crate::spec::url).
    pub page: &'static str,
}

impl Disagreement {
    /// The URL of the text at `revision`.
    pub fn link(&self, revision: Revision) -> String {
        crate::spec::page::url_within(self.page, self.revisions, revision)
    }
}

/// All disagreements, sorted by id.
#[doc(hidden)]
pub const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        id: "acknowledged-subscription",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "SubscriptionsAcknowledgedNotificationParams",
        difference: "An acknowledgement carries the id of its subscription in `_meta`, like every notification on the stream \
                     of one. The schema makes the id optional, since not all notifications are on such a stream.",
        allowed: None,
        reason: "An acknowledgement always is on one, and over stdio nothing else identifies its subscription.",
        page: "basic/patterns/subscriptions#acknowledgment",
    },
    Disagreement {
        id: "base64",
        revisions: Revisions::all(),
        definition: "ImageContent",
        difference: "The data of images, audio and blobs is Base64. The schema gives these strings the format `byte`, which \
                     JSON Schema does not define, so that validators accept any string.",
        allowed: None,
        reason: "A string that is not Base64 cannot be decoded by the peer that receives it.",
        page: "server/prompts#image-content",
    },
    Disagreement {
        id: "cancelled-request",
        revisions: Revisions::only(Revision::V2025_11_25),
        definition: "CancelledNotificationParams",
        difference: "The notification contains the id of the request to cancel, and is not used for tasks. The schema makes \
                     the id optional.",
        allowed: None,
        reason: "Without an id there is nothing to cancel.",
        page: "basic/patterns/cancellation#cancellation-flow",
    },
    Disagreement {
        id: "completion-values",
        revisions: Revisions::until(Revision::V2025_11_25),
        definition: "CompleteResult",
        difference: "A result contains at most 100 values. Until 2025-11-25 the schema allows any number.",
        allowed: None,
        reason: "The limit has been in the text since the first revision; 2026-07-28 adds it to the schema.",
        page: "server/utilities/completion#completion-results",
    },
    Disagreement {
        id: "elicited-numbers",
        revisions: Revisions::from(Revision::V2025_06_18),
        definition: "ElicitResult",
        difference: "A form may have properties of type `number`, and the submitted content matches the requested schema. The \
                     schema allows only integers in `content`.",
        allowed: Some("the numbers in the content of a form need not be integers"),
        reason: "The schema is generated from types that say `number`, by a generator that turned it into `integer`; \
                 2026-07-28 has fixed that for the bounds and defaults of a form, but not for the submitted content.",
        page: "client/elicitation#requested-schema",
    },
    Disagreement {
        id: "input-or-state",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "InputRequiredResult",
        difference: "A result that requests input contains at least one of `inputRequests` and `requestState`. The schema \
                     makes both optional, and requires one of them only in its description.",
        allowed: None,
        reason: "Without either the client has nothing to answer and nothing to retry its request with.",
        page: "basic/patterns/mrtr#server-requirements-basic-workflow",
    },
    Disagreement {
        id: "json-values",
        revisions: Revisions::only(Revision::V2026_07_28),
        definition: "JSONValue",
        difference: "A JSON value is a string, a number, a boolean, null, an object or an array. The schema omits null, and \
                     numbers that are not integers.",
        allowed: Some("a JSON value may be null, or a number that is not an integer"),
        reason: "The schema is generated from the types on the page, and the generator loses these.",
        page: "schema#jsonvalue",
    },
    Disagreement {
        id: "meta-of-params",
        revisions: Revisions::until(Revision::V2025_06_18),
        definition: "CallToolRequestParams",
        difference: "Any request may have a `_meta` object with a progress token, which is a string or an integer. The schema \
                     says so for requests and notifications in general, but not for those with params of their own.",
        allowed: None,
        reason: "What applies to all requests applies to each; 2025-11-25 adds it to every definition.",
        page: "basic/patterns/progress#progress-flow",
    },
    Disagreement {
        id: "meta-of-unknown",
        revisions: Revisions::from(Revision::V2025_11_25),
        definition: "JSONRPCRequest",
        difference: "`_meta` in params does not depend on the method: it is an object with reserved members, from 2026-07-28 \
                     on with the version and the client's capabilities in every request. The schema says so only for the \
                     requests and notifications that it defines.",
        allowed: None,
        reason: "A receiver reads `_meta` even if it does not know the method; a request of 2026-07-28 without it is \
                 malformed and has to be refused, whatever its method.",
        page: "basic/index#meta",
    },
    Disagreement {
        id: "unreadable-id",
        revisions: Revisions::all(),
        definition: "JSONRPCErrorResponse",
        difference: "A receiver that cannot read the id of a message answers with the id null, as JSON-RPC 2.0 requires; over \
                     HTTP, from 2025-03-26 on, an error may have no id. The schema requires an id until 2025-06-18, and does \
                     not allow null afterwards.",
        allowed: Some("an error about a message whose id cannot be read has the id null, or none"),
        reason: "There is no id that such an error could repeat.",
        page: "basic/index#error-responses",
    },
];
