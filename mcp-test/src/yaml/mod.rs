//! YAML as it was written: nodes that know their place, their style and their comments.
//!
//! What a document means is for those who read it; this room knows neither messages nor baselines.

mod span;

pub use span::Span;
