//! Cases played against the reference server, correct and faulty, in both eras.

mod failing;
mod passing;
mod unsolicited;

use std::time::Duration;

use mcp_test_core::clock::Deadline;
use mcp_test_core::scenario::{Body, Ctx, Ended, Profile, Scenario, Setup, Shared};
use mcp_test_core::server::Server;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{Target, TransportKind};

use crate::cases::{Cases, PlayOptions, ReadOptions, scenarios};

/// The cases of a text, as scenarios.
fn of(text: &str) -> Vec<Shared<Scenario>> {
    of_with(text, &PlayOptions::default())
}

fn of_with(text: &str, options: &PlayOptions) -> Vec<Shared<Scenario>> {
    let read = Cases::parse("contract.yaml", text, &ReadOptions::default());
    let (cases, _) = read.unwrap_or_else(|error| panic!("{error}"));
    scenarios(&cases, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Where a case is played.
#[derive(Clone)]
struct Stage {
    target: Target,
    transport: TransportKind,
    revision: Revision,
    profile: Profile,
    timeout: Duration,
}

impl Stage {
    fn of(server: &Server) -> Self {
        let target = server.target();
        let transport = target.transports()[0];
        Self {
            target,
            transport,
            revision: Revision::NEWEST_HANDSHAKE,
            profile: Profile::Adaptive,
            timeout: Duration::from_secs(20),
        }
    }

    fn at(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

    fn over(self, transport: TransportKind) -> Self {
        Self { transport, ..self }
    }

    fn strictly(self) -> Self {
        Self { profile: Profile::Strict, ..self }
    }

    async fn play(&self, scenario: &Shared<Scenario>) -> Ended {
        let Body::Server(body) = &scenario.body else { panic!("a case tests a server") };
        let setup = Setup {
            until: Deadline::after(self.timeout),
            ..Setup::new(
                self.target.clone(),
                self.transport,
                self.revision,
                self.profile,
                self.timeout,
            )
        };
        let mut ctx = Ctx::new(setup, Some(scenario.declared()));
        body(&mut ctx).await.expect("a case makes its checks itself");
        ctx.end().await
    }

    /// The rows of a case: status, check, and what it says.
    async fn rows(&self, scenario: &Shared<Scenario>) -> String {
        let ended = self.play(scenario).await;
        let rows = ended.checks.iter().map(|check| {
            let message = check.message.as_deref().unwrap_or_default();
            format!("{} {} {message}", check.status, check.id).trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// The rows of the only case of a text.
    async fn only(&self, text: &str) -> String {
        let scenarios = of(text);
        assert_eq!(scenarios.len(), 1, "one case");
        self.rows(&scenarios[0]).await
    }
}
