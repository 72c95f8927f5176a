//! What there is to judge by at one revision, read with one authority: made once, when it is first asked for.

use std::sync::{LazyLock, OnceLock};

use super::files::FILES;
use super::model::Model;
use super::source::Source;
use super::{Authority, read, resolve};
use crate::spec::Revision;

/// The shape files. That there is no problem in them is shown by a test; a line with one would only be left out.
static SOURCE: LazyLock<Source> = LazyLock::new(|| read::files(FILES).0);

/// Definitions of a revision.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) model: Model,
}

impl Book {
    /// Ours.
    pub(super) fn ours(revision: Revision, authority: Authority) -> &'static Self {
        static BOOKS: [[OnceLock<Book>; Revision::ALL.len()]; 2] =
            [const { [const { OnceLock::new() }; Revision::ALL.len()] }; 2];
        BOOKS[authority as usize][revision as usize].get_or_init(|| {
            let (model, _) = resolve::model(&SOURCE, revision, authority);
            Self { model }
        })
    }
}
