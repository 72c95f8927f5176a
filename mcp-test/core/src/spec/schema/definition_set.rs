//! The definitions of one revision for one authority, indexed by name, method and error code.
//!
//! The sets of our shapes are built on first use, once per process. A loaded official schema has a set of its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;
#[cfg(feature = "schema")]
use std::sync::Arc;
use std::sync::{LazyLock, OnceLock};

#[cfg(feature = "schema")]
use super::compiled::Compiled;
use super::files::FILES;
use super::model::{self, Index, Model, Type};
use super::syntax::ShapeDeclarations;
use super::{Authority, parse, resolve};
#[cfg(feature = "schema")]
use crate::json_schema::Validator;
use crate::spec::Revision;

/// The parsed shape files. Lines with a problem are skipped; a test shows that there are none.
static SHAPES: LazyLock<ShapeDeclarations> = LazyLock::new(|| parse::files(FILES).0);

/// The definitions of a revision.
#[derive(Debug)]
pub(super) struct DefinitionSet {
    pub(super) revision: Revision,
    /// Sorted by name.
    pub(super) definitions: Vec<DefinitionInfo>,
    by_method: HashMap<Cow<'static, str>, Index>,
    by_code: HashMap<i64, Index>,
    /// The definition of request ids.
    pub(super) of_id: Option<Index>,
    /// The types of our own definitions; `None` for a loaded schema.
    pub(super) model: Option<Model>,
    #[cfg(feature = "schema")]
    pub(super) compiled: Compiled,
}

/// The properties of a definition that the choice of definitions depends on.
#[derive(Debug, Default)]
pub(super) struct DefinitionInfo {
    pub(super) name: Cow<'static, str>,
    pub(super) page: Option<&'static str>,
    /// The method, if it is a request or notification of its own.
    pub(super) method: Option<Cow<'static, str>>,
    pub(super) params: Option<Index>,
    pub(super) result: Option<Index>,
    pub(super) error: Option<ErrorDefinition>,
    /// Its required members, if it is an object.
    pub(super) required: Vec<Cow<'static, str>>,
}

/// What a definition for one error code describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorDefinition {
    /// The whole error response.
    Response(i64),
    /// The `error` object in it.
    Object(i64),
}

/// A reference to a static set of our own, or a shared set of a loaded schema.
#[derive(Debug, Clone)]
pub(super) enum DefinitionSetRef {
    Ours(&'static DefinitionSet),
    #[cfg(feature = "schema")]
    Loaded(Arc<DefinitionSet>),
}

impl DefinitionSet {
    /// Our own definitions.
    pub(super) fn ours(revision: Revision, authority: Authority) -> &'static Self {
        // One cell for each pair, so that only the revisions of a run are resolved.
        static SETS: [[OnceLock<DefinitionSet>; Revision::ALL.len()]; 2] =
            [const { [const { OnceLock::new() }; Revision::ALL.len()] }; 2];
        SETS[authority as usize][revision as usize].get_or_init(|| {
            let (model, _) = resolve::model(&SHAPES, revision, authority);
            let definitions = (0..).zip(&model.shapes).map(|(index, _)| info(&model, Index(index)));
            #[cfg(feature = "schema")]
            let compiled = Compiled::ours(&model);
            Self::new(
                revision,
                definitions.collect(),
                Some(model),
                #[cfg(feature = "schema")]
                compiled,
            )
        })
    }

    /// Indexes definitions that are sorted by name.
    pub(super) fn new(
        revision: Revision,
        definitions: Vec<DefinitionInfo>,
        model: Option<Model>,
        #[cfg(feature = "schema")] compiled: Compiled,
    ) -> Self {
        // A schema that is loaded may have more definitions than an index can express; the rest is not found.
        let indexed = || (0..=u16::MAX).map(Index).zip(&definitions);
        let by_method =
            indexed().filter_map(|(index, info)| Some((info.method.clone()?, index))).collect();
        let by_code = indexed()
            .filter_map(|(index, info)| {
                let (ErrorDefinition::Response(code) | ErrorDefinition::Object(code)) =
                    info.error?;
                Some((code, index))
            })
            .collect();
        let mut set = Self {
            revision,
            definitions,
            by_method,
            by_code,
            of_id: None,
            model,
            #[cfg(feature = "schema")]
            compiled,
        };
        // Looked up once: every message is validated with it.
        set.of_id = set.find("RequestId");
        set
    }

    pub(super) fn find(&self, name: &str) -> Option<Index> {
        let index = self.definitions.binary_search_by(|info| (*info.name).cmp(name)).ok()?;
        u16::try_from(index).ok().map(Index)
    }

    pub(super) fn info(&self, index: Index) -> &DefinitionInfo {
        &self.definitions[usize::from(index.0)]
    }

    /// The request or notification with that method.
    pub(super) fn method_index(&self, method: &str) -> Option<Index> {
        self.by_method.get(method).copied()
    }

    /// The compiled definition at `index`, if it can be compiled.
    #[cfg(feature = "schema")]
    pub(super) fn validator(&self, index: Index) -> Option<&Validator> {
        self.compiled.validator(index, &self.info(index).name, self.model.as_ref())
    }

    /// The definition for that error code.
    pub(super) fn code_index(&self, code: i64) -> Option<Index> {
        self.by_code.get(&code).copied()
    }
}

impl DefinitionInfo {
    /// The page that describes it, for [`url`](crate::spec::url).
    pub(super) fn page(&self) -> Cow<'static, str> {
        model::page(self.page, &self.name)
    }

    pub(super) fn link(&self, revision: Revision) -> String {
        crate::spec::url(&self.page(), revision)
    }
}

impl DefinitionSetRef {
    /// The set itself, or our own for the revision of a loaded one.
    pub(super) fn ours(&self) -> &'static DefinitionSet {
        match self {
            Self::Ours(set) => set,
            #[cfg(feature = "schema")]
            Self::Loaded(set) => DefinitionSet::ours(set.revision, Authority::Schema),
        }
    }
}

impl Deref for DefinitionSetRef {
    type Target = DefinitionSet;

    fn deref(&self) -> &DefinitionSet {
        match self {
            Self::Ours(set) => set,
            #[cfg(feature = "schema")]
            Self::Loaded(set) => set,
        }
    }
}

/// The properties of one of our definitions.
fn info(model: &Model, index: Index) -> DefinitionInfo {
    let shape = model.shape(index);
    let info = DefinitionInfo {
        name: shape.name.into(),
        page: shape.page,
        result: shape.result,
        ..DefinitionInfo::default()
    };
    let Type::Object(object) = &shape.of else {
        return info;
    };
    let code = |of: &Type| match model.object(of)?.member("code")?.of {
        Type::Exactly(code) => Some(code),
        _ => None,
    };
    // With an `error` member it is the response, otherwise the object in it.
    let reply =
        object.member("error").and_then(|error| code(&error.of)).map(ErrorDefinition::Response);
    DefinitionInfo {
        method: object.member("method").and_then(|method| match method.of {
            Type::Literal(method) => Some(method.into()),
            _ => None,
        }),
        params: object.member("params").and_then(|params| match params.of {
            Type::Named(index) => Some(index),
            _ => None,
        }),
        error: reply.or_else(|| code(&shape.of).map(ErrorDefinition::Object)),
        required: object
            .members
            .iter()
            .filter(|member| member.required)
            .map(|member| member.name.into())
            .collect(),
        ..info
    }
}
