//! What can be known of a file of a skill from its content alone: its digest, and the frontmatter of a `SKILL.md`.
//!
//! Which skills exist, and which files they have, is said by servers; see [`Skills`](crate::server::Skills).

mod frontmatter;

#[doc(hidden)]
pub use frontmatter::frontmatter;

/// The digest of a file, as the entries of skills have it: `sha256:` and the SHA-256 of its bytes in lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hex = hmac_sha256::Hash::hash(bytes).map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.concat())
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // The first example of NIST for SHA-256, with one block.
        let expected = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(b"abc"), expected);
    }
}
