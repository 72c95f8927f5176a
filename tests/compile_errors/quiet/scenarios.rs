//! Valid scenarios cause no warning outside of the compiler's test harness either, however strict the crate is.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]
#![allow(clippy::redundant_closure, clippy::unimplemented)]

use mcp_test::prelude::*;

mcp_test::target!(my_server);

fn my_server() -> Target {
    unimplemented!("never started here")
}

mod renamed {
    //! Stands for a renamed dependency.
    pub(crate) use mcp_test::__private;
}

/// Documented.
#[mcp_scenario]
async fn plain(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(
    target = || my_server(),
    revisions = "..2024-11-05, 2025-06-18..2025-11-25",
    transports = [duplex, stdio, http, router],
    matrix,
    allow_skip,
    timeout = "250ms",
    known = ["ping.result-empty", ("tools.list.respond", "why", "https://example.com/issues/1")],
    crate = crate::renamed,
)]
#[ignore = "slow"]
#[expect(non_snake_case)]
async fn r#WithEverything(mut _ctx: &mut Ctx) -> std::result::Result<(), &'static str> {
    _ctx = &mut *_ctx;
    Err("why")
}

/// Documented.
#[mcp_scenario(case(1, "one"), case::r#match(2, "two"), setup = folder, setup_ctx = made, teardown = undone, crate = crate::renamed)]
#[ignore]
async fn with_cases(
    _: &mut Ctx,
    folder: &Folder,
    made: &mut String,
    number: u8,
    word: &str,
) -> Result<()> {
    made.push_str(word);
    let _ = (folder, number);
    Ok(())
}

/// Documented.
#[mcp_scenario(client = my_client, revisions = "2025-06-18..", case(1), crate = crate::renamed)]
#[ignore]
async fn of_a_client(server: &mut ServerCtx, number: u8) -> Result<()> {
    let _ = (server, number);
    Ok(())
}

fn my_client() -> ClientTarget {
    unimplemented!("never started here")
}

#[mcp_scenario(setup_ctx = nothing, teardown = nothing)]
async fn without_a_value(_: &mut Ctx) -> Result<()> {
    Ok(())
}

#[mcp_scenario(setup = folder, target = |folder| a_server(folder))]
async fn with_a_target_of_the_setup(_: &mut Ctx, folder: Folder) -> Result<()> {
    drop(folder);
    Ok(())
}

#[mcp_scenario(setup = folder, target = |folder| folder.server())]
async fn with_a_changed_value(_: &mut Ctx, folder: &mut Folder) -> Result<()> {
    folder.0.clear();
    Ok(())
}

struct Folder(String);

impl Folder {
    fn server(&self) -> Target {
        a_server(self)
    }
}

fn a_server(folder: &Folder) -> Target {
    unimplemented!("never started here, in {}", folder.0)
}

async fn folder() -> std::result::Result<Folder, String> {
    Ok(Folder(String::new()))
}

#[mcp_scenario(setup = folder, setup_ctx = made)]
async fn without_the_value(_: &mut Ctx) -> Result<()> {
    Ok(())
}

async fn made(_: &mut Ctx) -> Result<String> {
    Ok(String::new())
}

async fn undone(_: &mut Ctx) -> std::result::Result<(), String> {
    Ok(())
}

async fn nothing(_: &mut Ctx) -> Result<()> {
    Ok(())
}

/// Names that the expansion must not confuse with its own.
mod names {
    use super::*;

    #[mcp_scenario]
    async fn context(context: &mut Ctx) -> Result<()> {
        let _ = context;
        Ok(())
    }

    #[mcp_scenario]
    async fn name(_: &mut Ctx) -> std::result::Result<(), std::io::Error> {
        Ok(())
    }

    const VALUE: u8 = 1;

    #[mcp_scenario(setup = value_of_setup, setup_ctx = context_of_setup, case(VALUE))]
    async fn value(_: &mut Ctx, made: u8, value: u8, context: u8) -> Result<()> {
        let _ = (made, value, context);
        Ok(())
    }

    async fn value_of_setup() -> Result<u8> {
        Ok(0)
    }

    async fn context_of_setup(_: &mut Ctx) -> Result<u8> {
        Ok(0)
    }

    #[mcp_scenario]
    async fn r#match(core: &mut Ctx) -> std::result::Result<(), String> {
        let _ = core;
        Ok(())
    }
}

fn main() {
    use mcp_test::__private::UserBody;

    let found = mcp_test::__private::user_scenarios();
    let names: Vec<String> = found.iter().map(|scenario| scenario.test_name()).collect();
    assert_eq!(
        names,
        [
            "WithEverything",
            "of_a_client::case_1",
            "plain",
            "with_a_changed_value",
            "with_a_target_of_the_setup",
            "with_cases::case_1_one",
            "with_cases::match",
            "without_a_value",
            "without_the_value",
            "names::context",
            "names::match",
            "names::name",
            "names::value::case_value",
        ]
    );
    let full = found[0];
    assert_eq!(full.ignored, Some("slow"));
    assert_eq!(full.revisions, Some("..2024-11-05,2025-06-18..2025-11-25"));
    assert_eq!(full.transports, ["duplex", "stdio", "http", "router"]);
    assert!(full.matrix && full.allow_skip);
    assert!(matches!(full.body, UserBody::Server { target: Some(_), teardown: None, .. }));
    assert_eq!(full.timeout, Some(std::time::Duration::from_millis(250)));
    assert!(matches!(found[1].body, UserBody::Client { teardown: None, .. }));
    assert!(found[2].golden.is_some());
}
