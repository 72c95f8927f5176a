//! JSON Pointers (RFC 6901).

use std::fmt::{self, Write as _};

use super::escape::{escape, is_deceptive};

/// A location in a JSON value, such as `/tools/0/name`; the root is the empty text.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json::Pointer;
///
/// assert_eq!(Pointer::root().member("a/b").index(0).to_string(), "/a~1b/0");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(String);

impl Pointer {
    /// The whole value.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Parses a pointer: the text is empty or starts with `/`, and each `~` is followed by `0` or `1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let has_valid_escapes =
            || text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        ((text.is_empty() || text.starts_with('/')) && has_valid_escapes())
            .then(|| Self(text.to_owned()))
    }

    /// The member `name` of the object here.
    #[must_use]
    pub fn member(mut self, name: &str) -> Self {
        self.0.push('/');
        for char in name.chars() {
            match char {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                plain => self.0.push(plain),
            }
        }
        self
    }

    /// Item `index` of the array here.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.member(&index.to_string())
    }

    /// The location that `inner` names relative to this one.
    #[must_use]
    pub fn join(mut self, inner: &Self) -> Self {
        self.0.push_str(&inner.0);
        self
    }

    /// Whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The pointer as RFC 6901 text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tokens from the root, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(unescape)
    }

    /// The parent and the last token; `None` for the root.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, String)> {
        let (parent, last) = self.0.rsplit_once('/')?;
        Some((Self(parent.to_owned()), unescape(last)))
    }
}

fn unescape(token: &str) -> String {
    // RFC 6901, section 4: in this order, so that `~01` becomes `~1` and not `/`.
    token.replace("~1", "/").replace("~0", "~")
}

/// A token as an array index: digits without a leading zero (RFC 6901, section 4).
#[doc(hidden)]
pub fn array_index(token: &str) -> Option<usize> {
    // `parse` alone would accept a sign.
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    (digits && (token == "0" || !token.starts_with('0'))).then(|| token.parse().ok())?
}

/// For people: escapes characters that control a terminal, hide or reverse text, since a peer chooses the names. Use
/// [`as_str`](Pointer::as_str) for machine-readable output.
impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            deceptive if is_deceptive(deceptive) => escape(deceptive, f),
            plain => f.write_char(plain),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_unescapes() {
        let pointer = Pointer::root().member("~1/x").member("").index(7);
        assert_eq!(pointer.as_str(), "/~01~1x//7");
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), ["~1/x", "", "7"]);
        assert_eq!(Pointer::parse(pointer.as_str()), Some(pointer));
    }

    #[test]
    fn characters_that_affect_a_terminal_are_escaped() {
        let pointer = Pointer::root().member("a\u{1b}[31m\nb\u{202e}ä");
        assert_eq!(pointer.to_string(), "/a\\u001b[31m\\u000ab\\u202eä");
        assert_eq!(pointer.as_str(), "/a\u{1b}[31m\nb\u{202e}ä");
    }

    #[test]
    fn refuses_invalid_pointers() {
        for bad in ["a", "a/b", "/~", "/~2", "/a~/b", "#/a"] {
            assert_eq!(Pointer::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn splits_and_joins() {
        let pointer = Pointer::root().member("a").index(0);
        let (parent, last) = pointer.split_last().unwrap();
        assert_eq!((parent.as_str(), last.as_str()), ("/a", "0"));
        assert_eq!(parent.join(&Pointer::root().index(0)), pointer);
        assert_eq!(Pointer::root().split_last(), None);
    }
}
