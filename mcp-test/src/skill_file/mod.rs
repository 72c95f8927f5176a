//! What can be known of a file of a skill from its content alone: its digest, and the frontmatter of a `SKILL.md`.
//!
//! Which skills exist, and which files they have, is said by servers; see [`Skills`](crate::server::Skills).

mod frontmatter;
mod sha256;

pub(crate) use frontmatter::frontmatter;

/// The digest of a file, as the entries of skills have it: `sha256:` and the SHA-256 of its bytes in lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hex = sha256::sha256(bytes).map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.concat())
}
