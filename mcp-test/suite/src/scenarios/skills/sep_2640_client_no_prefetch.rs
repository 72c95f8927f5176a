//! `sep-2640-client-no-prefetch`.

use mcp_test_core::server::Skill;

use super::skills_client::{
    DESCRIPTION, FileRead, SECOND, SKILL_MD, reading, server, skill, skill_md, without_skills,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2640_LAZY;

scenario! {
    /// The client lists the skills, and loads none. It reads no file of a skill ahead of need.
    ///
    /// The official check looks only for reads of the two files of one skill, and only if the client lists the skills. Our own
    /// check looks for a read of any file of any skill; except in profile `official`, the server also lists one whose
    /// content is dynamic. A file that a client reads in a later conversation is not seen.
    Client "sep-2640-client-no-prefetch": "The client reads no file of a skill ahead of need",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_extension(),
    checks: [
        check!(OFFICIAL, "The client reads no file of the skill",
            [SKILLS_CLIENT_NO_PREFETCH]).official(&[SEP_2640_LAZY]).named("SkillsClientNoPrefetch"),
        check!(OWN, "The client reads no file of any skill, listed or not",
            [SKILLS_CLIENT_NO_PREFETCH]),
    ],
}

const OFFICIAL: &str = "sep-2640-host-no-prefetch";
const OWN: &str = "client-retrieves-no-file";

const DYNAMIC: &str = "skill://daily-report/SKILL.md";

fn serve(test: &ClientTest) -> Server {
    let dynamic = (test.profile != Profile::Official).then(|| {
        let frontmatter = json!({ "name": "daily-report", "description": "Reports today." });
        let text = "---\nname: daily-report\ndescription: Reports today.\n---\n\nAll is well.\n";
        Skill::new("skill://daily-report", frontmatter, text).dynamic()
    });
    let text = skill_md(DESCRIPTION, "Read references/FORMS.md first.");
    server(test, [skill(text)].into_iter().chain(dynamic), None)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let reads = FileRead::all(judging);
    let is_listed = !judging.requests("skills/list").is_empty();
    let headline = "the client reads a file of a skill that it does not load";
    let outcome = |read: Option<&FileRead>| {
        read.map_or(Ok(()), |read| Err(read.finding(headline, "`skills/list`, and no file")))
    };
    let any = reads.iter().find(|read| read.uri.starts_with("skill://"));
    if !is_listed && any.is_none() && judging.profile() != Profile::Official {
        return Err(judging
            .task_not_done("the client never listed the skills")
            .expected("`skills/list`")
            .got("no such request in the whole conversation"));
    }
    let check = judging.check(OFFICIAL);
    match is_listed {
        true => {
            let of_two = |read: &&FileRead| [SKILL_MD, SECOND].contains(&read.uri.as_str());
            check.judge(outcome(reads.iter().find(of_two)))
        }
        false => check.skip("the client never called `skills/list`"),
    };
    judging.check(OWN).judge(outcome(any));
    Ok(())
}

/// Reads the `SKILL.md` of each skill that is listed.
fn prefetching() -> ScriptedClient {
    reading(true, &[SKILL_MD, DYNAMIC])
}

/// Reads only what the entry of the skill gives no digest for.
fn prefetching_dynamic() -> ScriptedClient {
    reading(true, &[DYNAMIC])
}

/// Reads a file of a skill that it has not even listed.
fn without_list() -> ScriptedClient {
    reading(false, &[SECOND])
}

proofs! {
    passes on good_client();
    catches "sep-2640-host-no-prefetch" on prefetching();
    catches "sep-2640-host-no-prefetch" on prefetching(), at V2025_11_25, under Official;
    catches "client-retrieves-no-file" on prefetching_dynamic();
    catches "client-retrieves-no-file" on without_list();
    catches "sep-2640-host-no-prefetch" on without_skills(), under Strict;
}
