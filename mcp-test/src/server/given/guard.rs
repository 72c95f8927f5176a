//! A rule for a while: it is in force as long as its guard lives, which looks at the end whether it was met.

use super::Book;

/// Keeps a rule in force; made by [`Server::mount_as_scoped`](crate::server::Server::mount_as_scoped).
///
/// # Panics
///
/// Dropping it panics if the rule was not called as often as expected, unless the thread panics already.
#[derive(Debug)]
#[must_use = "the rule is in force only as long as its guard lives: bind it to a name that is not `_`"]
pub struct Scoped {
    book: Book,
    number: usize,
}

impl Scoped {
    pub(in crate::server) fn new(book: Book, number: usize) -> Self {
        Self { book, number }
    }

    /// How often the rule was called.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.book.calls(self.number)
    }
}

impl Drop for Scoped {
    fn drop(&mut self) {
        let finding = self.book.verdict(self.number);
        self.book.unmount(self.number);
        if let Some(finding) = finding
            && !std::thread::panicking()
        {
            panic!("{finding}");
        }
    }
}
