//! Texts that must not be seen in any report.

use std::fmt;

const MASK: &str = "[secret]";

/// A shorter text is too likely to be a part of another word; masking it would only garble reports.
const SHORTEST: usize = 4;

/// The values that were given in confidence, such as those of `--header`.
///
/// ```
/// use mcp_test::report::Secrets;
///
/// let secrets = Secrets::new(["hunter2".to_owned()]);
/// assert_eq!(secrets.mask("x-key: hunter2".to_owned()), "x-key: [secret]");
/// assert!(!format!("{secrets:?}").contains("hunter2"));
/// ```
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Masks these values, and the credentials in those that start with an authentication scheme.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut all: Vec<String> = values
            .into_iter()
            .flat_map(|value| {
                let credentials = value.split_once(' ').map(|(_, rest)| rest.to_owned());
                [Some(value), credentials]
            })
            .flatten()
            .filter(|value| value.len() >= SHORTEST)
            .collect();
        // The longest first, so that no part of it is left beside a mask.
        all.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(all)
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn mask(&self, text: String) -> String {
        self.0.iter().fold(text, |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), MASK) } else { text }
        })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;

    #[test]
    fn a_token_is_masked_with_and_without_its_scheme() {
        let secrets = Secrets::new(["Bearer abcdef".to_owned(), "no".to_owned()]);
        assert_eq!(secrets.mask("Bearer abcdef".to_owned()), "[secret]");
        assert_eq!(secrets.mask("token abcdef, not now".to_owned()), "token [secret], not now");
    }
}
