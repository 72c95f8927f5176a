//! The clients that the server knows, in bounded memory.

use std::collections::VecDeque;

use super::client::OAuthClient;

/// How many clients that registered themselves are kept; the oldest are forgotten.
const MOST_REGISTERED: usize = 1_000;

/// The clients that were known from the start, and those that registered themselves.
pub(super) struct ClientRegistry {
    preregistered: Vec<OAuthClient>,
    registered: VecDeque<OAuthClient>,
}

impl ClientRegistry {
    pub(super) fn new(preregistered: Vec<OAuthClient>) -> Self {
        Self { preregistered, registered: VecDeque::new() }
    }

    pub(super) fn find(&self, id: &str) -> Option<&OAuthClient> {
        self.preregistered.iter().chain(&self.registered).find(|client| client.id == id)
    }

    pub(super) fn register(&mut self, client: OAuthClient) {
        if self.registered.len() == MOST_REGISTERED {
            self.registered.pop_front();
        }
        self.registered.push_back(client);
    }
}
