//! What most scenarios use.

pub(super) use std::sync::Arc;
pub(super) use std::time::Duration;

pub(super) use mcp_test_core::check::{Cause, Finding};
pub(super) use mcp_test_core::client::reference::good_client;
pub(super) use mcp_test_core::client::{ClientTask, Reply, ScriptedClient};
pub(super) use mcp_test_core::clock::Deadline;
pub(super) use mcp_test_core::expect::{Matcher, anything, equals, object, satisfying, string};
pub(super) use mcp_test_core::json::{Object, Value};
pub(super) use mcp_test_core::scenario::{
    CheckBuilder, CheckSpec, ClientTest, Ctx, Judging, Need, Official, Part, Profile, truthy,
};
pub(super) use mcp_test_core::server::reference::everything;
pub(super) use mcp_test_core::server::{Answer, Call, Server, given, method, param};
pub(super) use mcp_test_core::spec::{
    Capability, Era, ItemKind, Requirement, Revision, Revisions, error_code, header, meta,
};
pub(super) use mcp_test_core::trace::{EventKind, Party, Seq, Trace};
pub(super) use mcp_test_core::transport::{Fault, HttpRequest, HttpResponse, Misbehavior};
pub(super) use mcp_test_core::wire::{Id, Message, RpcError};
pub(super) use mcp_test_core::{check, proofs, scenario};
pub(super) use serde_json::json;

pub(super) use super::{always_answered, ensure, reference_server_with};
