//! The table of methods and the shapes have the same methods, sent by the same side, with the same members.

use std::collections::BTreeSet;

use crate::spec::schema::definition_set::DefinitionSet;
use crate::spec::schema::model::{Model, Object, Type};
use crate::spec::schema::{Authority, Definition};
use crate::spec::{METHODS, Method, MethodKind, Revision, Side};

fn set(revision: Revision) -> (&'static DefinitionSet, &'static Model) {
    let set = DefinitionSet::ours(revision, Authority::Text);
    (set, set.model.as_ref().unwrap())
}

/// The methods of the messages in the union `name`.
fn methods_of_union(name: &str, revision: Revision) -> BTreeSet<&'static str> {
    let (set, model) = set(revision);
    let Some(index) = set.find(name) else {
        return BTreeSet::new();
    };
    let mut methods = BTreeSet::new();
    let mut messages = vec![&model.shape(index).of];
    while let Some(of) = messages.pop() {
        match model.resolved(of) {
            Type::Union(types) => messages.extend(types),
            Type::Object(object) => match object.member("method").map(|member| &member.of) {
                Some(Type::Literal(method)) => {
                    methods.insert(*method);
                }
                other => panic!("{name} at {revision}: {other:?} is not a method"),
            },
            other => panic!("{name} at {revision}: {other:?} is not a message"),
        }
    }
    methods
}

fn object(definition: &Definition) -> Option<&'static Object> {
    let (set, model) = set(definition.revision());
    let index = set.find(definition.name())?;
    model.object(&model.shape(index).of)
}

fn core_methods(revision: Revision) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(move |method| {
        method.revisions().contains(revision) && !method.extension.contains(revision)
    })
}

#[test]
fn each_side_sends_what_the_table_says() {
    for revision in Revision::ALL {
        for (side, kind, union) in [
            (Side::Client, MethodKind::Request, "ClientRequest"),
            (Side::Client, MethodKind::Notification, "ClientNotification"),
            (Side::Server, MethodKind::Request, "ServerRequest"),
            (Side::Server, MethodKind::Notification, "ServerNotification"),
        ] {
            let sent = core_methods(revision)
                .filter(|method| method.kind == kind && method.sent_by(side, revision))
                .map(|method| method.name);
            assert_eq!(
                sent.collect::<BTreeSet<_>>(),
                methods_of_union(union, revision),
                "{union} {revision}"
            );
        }
        let embedded = core_methods(revision)
            .filter(|method| method.embedded.contains(revision))
            .map(|method| method.name);
        assert_eq!(embedded.collect::<BTreeSet<_>>(), methods_of_union("InputRequest", revision));
    }
}

#[test]
fn each_method_has_shapes_where_it_exists() {
    for revision in Revision::ALL {
        for method in METHODS {
            let exists = method.revisions().contains(revision);
            let at = format!("{method} at {revision}");
            if !exists {
                assert_eq!(method.message(revision), None, "{at}");
                continue;
            }
            if method.extension.contains(revision) {
                continue;
            }
            let message = method.message(revision).unwrap_or_else(|| panic!("{at}: no shape"));
            assert_eq!(message.kind(), Some(method.kind), "{at}");
            let answered = method.kind == MethodKind::Request;
            assert_eq!(method.result(revision).is_some(), answered, "{at}");
            // What is put into a result has the params that its place there leaves it.
            let embedded = method.embedded.contains(revision);
            assert!(embedded || method.params(revision).is_some(), "{at}: its params have no name");
        }
    }
}

#[test]
fn params_and_results_in_the_table_are_in_the_shapes() {
    for revision in Revision::ALL {
        for method in core_methods(revision) {
            let at = format!("{method} at {revision}");
            // Params that may be one of several objects have none of these members.
            let params = method.params(revision);
            let params = params.as_ref().and_then(object);
            let member = |name| params.and_then(|params| params.member(name));
            if let Some(name) = method.name_param {
                assert!(member(name).is_some_and(|member| member.required), "{at}");
            }
            let may_need_input = method.may_need_input && revision.has_input_requests();
            assert_eq!(member("inputResponses").is_some(), may_need_input, "{at}");
            let Some(result) = method.result(revision).as_ref().and_then(object) else {
                continue;
            };
            assert_eq!(result.member("nextCursor").is_some(), method.paged.is_some(), "{at}");
            if let Some(paged) = method.paged {
                assert!(result.member(paged).is_some_and(|member| member.required), "{at}");
            }
            let cacheable = method.cacheable && revision.has_cacheable_results();
            assert_eq!(result.member("ttlMs").is_some(), cacheable, "{at}");
        }
    }
}
