//! Which source decides where the official schema and the specification's text disagree.

/// The source that decides where the official schema and the specification's text disagree.
///
/// They disagree in what [`DISAGREEMENTS`](super::DISAGREEMENTS) lists, and in one more rule: by the text a request has an
/// id and a notification has none, whatever the definition of its method says; see
/// [`Schemas::validate`](super::Schemas::validate).
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Authority {
    /// The text, which binds peers.
    #[default]
    Text,
    /// The official schema, which the official conformance suite follows.
    Schema,
}
