//! Where the official schema says something else than the specification's text. We follow the text.
//!
//! Each disagreement has its line, begun with `~`, in the shape files: read with [`Authority::Schema`](super::Authority)
//! the shapes say what the official schema says. Nothing else differs; a differential test holds us to it.

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
        says: "Data of images, audio and blobs is Base64. The schema gives these strings the format `byte`, which no JSON \
               Schema defines, so that its validators take any string.",
        reason: "A string that is not Base64 cannot be decoded by the peer that receives it.",
        page: "server/tools#image-content",
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
];
