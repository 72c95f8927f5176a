//! What there is to judge by at one revision, read with one authority: definitions, which of them stands for which
//! method, result and error, and what says whether a value fits.
//!
//! Ours is made when it is first asked for, once for the whole process. An official schema makes one of its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;
#[cfg(feature = "schema")]
use std::sync::Arc;
use std::sync::{LazyLock, OnceLock};

use super::files::FILES;
use super::model::{self, Index, Model, Type};
use super::source::Source;
use super::{Authority, read, resolve};
use crate::spec::Revision;

#[cfg(feature = "schema")]
use super::compiled::Compiled;

/// The shape files. That there is no problem in them is shown by a test; a line with one would only be left out.
static SOURCE: LazyLock<Source> = LazyLock::new(|| read::files(FILES).0);

/// The definitions of a revision.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) revision: Revision,
    /// Sorted by name.
    pub(super) entries: Vec<Entry>,
    by_method: HashMap<Cow<'static, str>, Index>,
    by_code: HashMap<i64, Index>,
    /// What ids must be.
    pub(super) of_id: Option<Index>,
    /// What the entries mean, if they are ours.
    pub(super) model: Option<Model>,
    #[cfg(feature = "schema")]
    pub(super) compiled: Compiled,
}

/// A definition, as far as others must know what is in it.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) name: Cow<'static, str>,
    pub(super) page: Option<&'static str>,
    /// The method, if it is a request or notification of its own.
    pub(super) method: Option<Cow<'static, str>>,
    pub(super) params: Option<Index>,
    pub(super) result: Option<Index>,
    pub(super) error: Option<ErrorEntry>,
    /// The members that it cannot be without, if it is an object.
    pub(super) required: Vec<Cow<'static, str>>,
}

/// A definition of what one error code comes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorEntry {
    /// The whole reply.
    Reply(i64),
    /// The error in it.
    Inside(i64),
}

/// A book that lives as long as the process, or as long as somebody judges by it.
#[derive(Debug, Clone)]
pub(super) enum BookRef {
    Ours(&'static Book),
    #[cfg(feature = "schema")]
    Loaded(Arc<Book>),
}

impl Book {
    /// Ours.
    pub(super) fn ours(revision: Revision, authority: Authority) -> &'static Self {
        static BOOKS: [[OnceLock<Book>; Revision::ALL.len()]; 2] =
            [const { [const { OnceLock::new() }; Revision::ALL.len()] }; 2];
        BOOKS[authority as usize][revision as usize].get_or_init(|| {
            let (model, _) = resolve::model(&SOURCE, revision, authority);
            let entries = (0..).zip(&model.shapes).map(|(index, _)| entry(&model, Index(index)));
            #[cfg(feature = "schema")]
            let compiled = Compiled::ours(&model);
            Self::new(
                revision,
                entries.collect(),
                Some(model),
                #[cfg(feature = "schema")]
                compiled,
            )
        })
    }

    /// A book of these entries, which are sorted by name.
    pub(super) fn new(
        revision: Revision,
        entries: Vec<Entry>,
        model: Option<Model>,
        #[cfg(feature = "schema")] compiled: Compiled,
    ) -> Self {
        let indexed = || (0..=u16::MAX).map(Index).zip(&entries);
        let by_method =
            indexed().filter_map(|(index, entry)| Some((entry.method.clone()?, index))).collect();
        let by_code = indexed()
            .filter_map(|(index, entry)| {
                let (ErrorEntry::Reply(code) | ErrorEntry::Inside(code)) = entry.error?;
                Some((code, index))
            })
            .collect();
        let mut book = Self {
            revision,
            entries,
            by_method,
            by_code,
            of_id: None,
            model,
            #[cfg(feature = "schema")]
            compiled,
        };
        book.of_id = book.find("RequestId");
        book
    }

    pub(super) fn find(&self, name: &str) -> Option<Index> {
        let place = self.entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok()?;
        u16::try_from(place).ok().map(Index)
    }

    pub(super) fn entry(&self, index: Index) -> &Entry {
        &self.entries[usize::from(index.0)]
    }

    /// The request or notification with that method.
    pub(super) fn of_method(&self, method: &str) -> Option<Index> {
        self.by_method.get(method).copied()
    }

    /// What comes with that error code.
    pub(super) fn of_code(&self, code: i64) -> Option<Index> {
        self.by_code.get(&code).copied()
    }
}

impl Entry {
    /// The page that describes it, for [`url`](crate::spec::url).
    pub(super) fn page(&self) -> Cow<'static, str> {
        model::page(self.page, &self.name)
    }

    pub(super) fn link(&self, revision: Revision) -> String {
        crate::spec::url(&self.page(), revision)
    }
}

impl BookRef {
    /// The book itself, or what we have in the place of one that was loaded.
    pub(super) fn ours(&self) -> &'static Book {
        match self {
            Self::Ours(book) => book,
            #[cfg(feature = "schema")]
            Self::Loaded(book) => Book::ours(book.revision, Authority::Schema),
        }
    }
}

impl Deref for BookRef {
    type Target = Book;

    fn deref(&self) -> &Book {
        match self {
            Self::Ours(book) => book,
            #[cfg(feature = "schema")]
            Self::Loaded(book) => book,
        }
    }
}

/// What others must know of a definition of ours.
fn entry(model: &Model, index: Index) -> Entry {
    let shape = model.shape(index);
    let entry = Entry {
        name: shape.name.into(),
        page: shape.page,
        result: shape.result,
        ..Entry::default()
    };
    let Type::Object(object) = &shape.of else {
        return entry;
    };
    let code = |of: &Type| match model.object(of)?.member("code")?.of {
        Type::Exactly(code) => Some(code),
        _ => None,
    };
    let reply = object.member("error").and_then(|error| code(&error.of)).map(ErrorEntry::Reply);
    Entry {
        method: object.member("method").and_then(|method| match method.of {
            Type::Literal(method) => Some(method.into()),
            _ => None,
        }),
        params: object.member("params").and_then(|params| match params.of {
            Type::Named(index) => Some(index),
            _ => None,
        }),
        error: reply.or_else(|| code(&shape.of).map(ErrorEntry::Inside)),
        required: object
            .members
            .iter()
            .filter(|member| member.required)
            .map(|member| member.name.into())
            .collect(),
        ..entry
    }
}
