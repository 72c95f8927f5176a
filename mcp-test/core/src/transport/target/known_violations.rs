//! What a server under test is known to do wrong.

use super::Target;
use crate::spec::KnownViolation;

impl Target {
    /// Names requirements that the server is known to break, by their ids, so that tests of it do not fail for that.
    ///
    /// A finding that cites only such requirements is an expected failure; everything else fails a test as always. That one of
    /// them no longer occurs is reported, and fails with `MCP_TEST_KNOWN=strict`. An id that does not exist is an error.
    ///
    /// Each is an id, an id with a reason, or an id with a reason and a link.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::Target;
    ///
    /// let target = Target::duplex(|_| async { Ok(()) })
    ///     .known(["transport.http.event-id-unique"])
    ///     .known([("tools.list.respond", "fixed in 2.0", "https://example.com/issues/1")]);
    /// assert_eq!(target.known_violations().len(), 2);
    /// ```
    #[must_use]
    pub fn known(mut self, known: impl IntoIterator<Item = impl Into<KnownViolation>>) -> Self {
        self.known.extend(known.into_iter().map(Into::into));
        self
    }

    /// The requirements that the server is known to break.
    #[must_use]
    pub fn known_violations(&self) -> &[KnownViolation] {
        &self.known
    }
}
