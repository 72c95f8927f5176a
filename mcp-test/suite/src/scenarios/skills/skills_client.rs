//! What the scenarios for clients of the skills extension share: the skills that are served, and which files of them a client
//! reads.

use mcp_test_core::server::{Skill, Skills};

use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2640_VERIFICATION;

// The names of the official suite, which clients under test may look for.
pub(super) const DIRECTORY: &str = "skill://pdf-processing";
pub(super) const SKILL_MD: &str = "skill://pdf-processing/SKILL.md";
pub(super) const SECOND: &str = "skill://pdf-processing/references/FORMS.md";
pub(super) const NAME: &str = "pdf-processing";
pub(super) const DESCRIPTION: &str = "Extract, fill, and assemble PDF documents";

/// A file in the skill that its entry does not list.
pub(super) const UNLISTED: &str = "skill://pdf-processing/references/OTHER.md";

const INTACT: &str = "skill://meeting-notes";
const INTACT_SECOND: &str = "skill://meeting-notes/references/AGENDA.md";

/// The `SKILL.md` of the skill with this description and body.
pub(super) fn skill_md(description: &str, body: &str) -> String {
    format!("---\nname: {NAME}\ndescription: {description}\n---\n\n{body}\n")
}

/// The skill whose entry says that its `SKILL.md` has this text.
pub(super) fn skill(text: impl Into<String>) -> Skill {
    let frontmatter = json!({ "name": NAME, "description": DESCRIPTION });
    Skill::new(DIRECTORY, frontmatter, text).file("references/FORMS.md", "Fill in each field.\n")
}

/// A server with these skills, whose `SKILL.md` in [`DIRECTORY`] has this text if it is not that of its entry.
pub(super) fn server(
    test: &ClientTest,
    skills: impl IntoIterator<Item = Skill>,
    returned: Option<String>,
) -> Server {
    // A client that negotiates an older revision finds the skills there, too, as in the official suite.
    let skills = Skills::new(skills).revisions(Revisions::all());
    let files = skills.clone();
    let read = move |call: Call| {
        let answer = read(&call, &files, returned.as_deref());
        async move { answer }
    };
    let mut capabilities =
        json!({ "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } });
    if test.profile != Profile::Official {
        // For clients that list tools whatever the server declares, which is not what is tested.
        capabilities["tools"] = json!({});
    }
    Server::new(json!({ "name": test.scenario.id, "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(capabilities)
        // The official suite tries the extension at 2025-11-25, which has none.
        .declaring_undefined_capabilities()
        .skills(&skills)
        // As in the official suite: the files need not be listed, since `skills/list` has them.
        .on("resources/list", |_: Call| async { json!({ "resources": [] }) })
        .on("tools/list", |_: Call| async { json!({ "tools": [] }) })
        .on("resources/read", read)
}

fn read(call: &Call, files: &Skills, returned: Option<&str>) -> Answer {
    let Some(uri) = call.param("uri").and_then(Value::as_str) else {
        return Answer::error(error_code::INVALID_PARAMS, "`uri` must be a string");
    };
    let Some(mut contents) = files.read(uri) else {
        let code = error_code::resource_not_found(call.revision());
        return Answer::error(code, "resource not found");
    };
    if let (SKILL_MD, Some(returned)) = (uri, returned) {
        contents["text"] = json!(returned);
    }
    json!({ "contents": [contents] }).into()
}

/// A server for a scenario in which the client has to refuse the skill: its entry says that `SKILL.md` has the text `listed`,
/// and `resources/read` returns `returned`.
///
/// Except in profile `official`, whose server is that of the official suite, it lists another skill, which is intact.
pub(super) fn tampering_server(test: &ClientTest, listed: String, returned: String) -> Server {
    let intact = (test.profile != Profile::Official).then(|| {
        let name = INTACT.trim_start_matches("skill://");
        let frontmatter = json!({ "name": name, "description": "Takes the minutes." });
        let text = format!(
            "---\nname: {name}\ndescription: Takes the minutes.\n---\n\nBegin with references/AGENDA.md.\n"
        );
        Skill::new(INTACT, frontmatter, text).file("references/AGENDA.md", "1. Minutes\n")
    });
    server(test, [skill(listed)].into_iter().chain(intact), Some(returned))
}

/// The check that no file is read that only the refused `SKILL.md` names.
pub(super) const UNVERIFIED: &str = "client-follows-no-unverified-reference";
/// The check that what a client does with the refused skill differs from what it does with an intact one.
pub(super) const LOADS_INTACT: &str = "client-loads-intact-skill";

/// The official check of a scenario in which the client has to refuse the skill.
pub(super) const fn refusal(
    id: &'static str,
    name: &'static str,
    description: &'static str,
    requirements: &'static [&'static Requirement],
) -> CheckSpec {
    CheckSpec::own(id, description, requirements).official(&[SEP_2640_VERIFICATION]).named(name)
}

/// [`UNVERIFIED`], for a scenario in which the client must refuse the skill by this requirement, and not read what is unlisted.
pub(super) const fn unverified(requirements: &'static [&'static Requirement]) -> CheckSpec {
    let description = "The client reads no file that only the refused `SKILL.md` names";
    CheckSpec::own(UNVERIFIED, description, requirements)
}

/// [`LOADS_INTACT`], for a scenario in which the client must refuse the other skill by this requirement.
pub(super) const fn loads_intact(requirements: &'static [&'static Requirement]) -> CheckSpec {
    CheckSpec::own(
        LOADS_INTACT,
        "The client reads the second file of an intact skill, so that not reading that of the other is a refusal; not in \
         profile `official`",
        requirements,
    )
    .conditional()
}

/// A request for a file.
pub(super) struct FileRead {
    pub(super) seq: Seq,
    pub(super) uri: String,
}

impl FileRead {
    /// What the client reads, in that order.
    pub(super) fn all(judging: &Judging) -> Vec<Self> {
        let reads = judging.requests("resources/read");
        let uri = |params: &Value| Some(params.get("uri")?.as_str()?.to_owned());
        let read = reads.iter().filter_map(|read| {
            let uri = uri(read.params())?;
            Some(Self { seq: read.seq, uri })
        });
        read.collect()
    }

    /// The finding that it should not have been sent.
    pub(super) fn finding(&self, headline: &str, expected: &str) -> Finding {
        Finding::peer(headline)
            .expected(expected)
            .got(format!("`resources/read` of {}", self.uri))
            .evidence(self.seq)
    }
}

/// Judges whether the client refuses the skill whose `SKILL.md` is not that of its entry.
///
/// `check` is the official check, and `mismatch` what is wrong with the file.
pub(super) fn judge_refusal(
    judging: &mut Judging,
    check: &str,
    mismatch: &str,
) -> Result<(), Finding> {
    let is_official = judging.profile() == Profile::Official;
    let reads = FileRead::all(judging);
    let is_listed = !judging.requests("skills/list").is_empty();
    let Some(returned) = returned(judging) else {
        let unread = judging
            .task_not_done("the client never read the `SKILL.md` that it has to refuse")
            .expected(format!("`skills/list`, and `resources/read` of {SKILL_MD}"))
            .got(if is_listed { "`skills/list` alone" } else { "neither of them" });
        // Officially, a client that does not even list skills has nothing to do with them.
        match (is_official, is_listed) {
            (false, _) => return Err(unread),
            (true, true) => judging.check(check).untestable(unread),
            (true, false) => judging.check(check).skip("the client never called `skills/list`"),
        };
        judging
            .check(UNVERIFIED)
            .skip("the client never read the `SKILL.md` that it has to refuse");
        return Ok(());
    };
    if is_official && !is_listed {
        judging.check(check).skip("the client never called `skills/list`");
        let why = "the client holds no entry by which it could refuse the skill";
        judging.check(UNVERIFIED).skip(why);
        return Ok(());
    }
    let after = |uri: &str| reads.iter().find(|read| read.uri == uri && read.seq > returned);
    let expected = format!("no file of the skill after its `SKILL.md`, since {mismatch}");
    let went_on =
        |read: &FileRead| Err(read.finding("the client does not refuse the skill", &expected));
    let early = reads.iter().find(|read| read.uri == SECOND);
    let builder = judging.check(check);
    match (after(SECOND), early) {
        (Some(read), _) => builder.judge(went_on(read)),
        (None, Some(read)) => builder.officially_judge(
            went_on(read),
            "a file that was read before `SKILL.md` arrived does not show that it was accepted",
        ),
        (None, None) => builder.pass(),
    };
    judging.check(UNVERIFIED).judge(after(UNLISTED).map_or(Ok(()), went_on));
    // The server of the official suite lists no other skill.
    if is_official {
        return Ok(());
    }
    let is_intact_loaded = reads.iter().any(|read| read.uri == INTACT_SECOND);
    judging.check(LOADS_INTACT).by_task().judge(ensure(is_intact_loaded, || {
        Finding::peer("the client reads no further file of an intact skill either")
            .expected(format!("`resources/read` of {INTACT_SECOND}"))
            .got("no such request, so that nothing shows why it reads none of the other skill")
    }));
    Ok(())
}

/// When the client received the `SKILL.md` that it has to refuse; when it requested it, if it was gone before the reply.
fn returned(judging: &Judging) -> Option<Seq> {
    let trace = judging.trace();
    let is_request = |message: &Message| {
        message.method() == Some("resources/read")
            && message.params().and_then(|params| params.get("uri")) == Some(&Value::from(SKILL_MD))
    };
    let mut messages = trace.messages();
    let (request, _) =
        messages.find(|(event, message)| event.party == Party::Client && is_request(message))?;
    let exchange = (request.connection, request.exchange);
    let reply = messages.find(|(event, message)| {
        let is_same = (event.connection, event.exchange) == exchange;
        event.party == Party::Server && is_same && message.is_reply()
    });
    Some(reply.map_or(request.seq, |(event, _)| event.seq))
}

/// A client that lists the skills, if `lists`, and then reads these files, whatever they contain.
pub(super) fn reading(lists: bool, uris: &'static [&'static str]) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        if lists {
            client.request("skills/list", json!({})).await?.result()?;
        }
        for uri in uris {
            // An unlisted file does not exist.
            let _ = client.request("resources/read", json!({ "uri": uri })).await?.outcome();
        }
        client.end().await;
        Ok(())
    })
}

/// Reads no file of any skill.
pub(super) fn only_lists() -> ScriptedClient {
    reading(true, &[])
}

/// Connects, and has nothing to do with skills.
pub(super) fn without_skills() -> ScriptedClient {
    reading(false, &["file:///notes.md"])
}

/// Reads each file of each skill, and verifies none.
pub(super) fn trusting() -> ScriptedClient {
    reading(true, &[SKILL_MD, SECOND, "skill://meeting-notes/SKILL.md", INTACT_SECOND])
}

/// Reads what the refused `SKILL.md` names, although its entry does not list it.
pub(super) fn following_references() -> ScriptedClient {
    reading(true, &[SKILL_MD, UNLISTED, "skill://meeting-notes/SKILL.md", INTACT_SECOND])
}

/// Needs only the `SKILL.md` of a skill, and verifies none.
pub(super) fn reading_skill_md_only() -> ScriptedClient {
    reading(true, &[SKILL_MD, "skill://meeting-notes/SKILL.md"])
}

/// Reads the second file before the `SKILL.md` that names it.
pub(super) fn reading_ahead() -> ScriptedClient {
    reading(true, &[SECOND, SKILL_MD, "skill://meeting-notes/SKILL.md", INTACT_SECOND])
}
