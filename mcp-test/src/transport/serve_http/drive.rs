//! Driving the work of one request, and taking what it sends as it sends it.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::transport::serve::{Conversation, Emitted, Outbound, Outbox, Received, Work};

/// The work of one request together with what it sends. Dropping it drops the work.
pub(super) struct Drive {
    conversation: Arc<dyn Conversation>,
    work: Option<Work>,
    messages: mpsc::Receiver<Outbound>,
}

impl Drive {
    pub(super) fn start(conversation: &Arc<dyn Conversation>, received: Received) -> Self {
        let (outbox, messages) = Outbox::channel();
        let work = Some(conversation.receive(received, outbox));
        Self { conversation: Arc::clone(conversation), work, messages }
    }

    /// Ends the conversation, so that what only waits comes to its end.
    pub(super) fn close(&self) {
        self.conversation.close();
    }

    /// What comes next; `None` when there will be no more.
    pub(super) async fn next(&mut self) -> Option<Outbound> {
        while let Some(work) = &mut self.work {
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => return Some(message),
                () = work => self.work = None,
            }
        }
        self.messages.recv().await
    }

    /// The next message, where connections are not ended.
    pub(super) async fn message(&mut self) -> Option<Emitted> {
        loop {
            if let Outbound::Message(message) = self.next().await? {
                return Some(message);
            }
        }
    }

    /// Lets the work come to its end, for a response that has no room for messages: only an error reply is kept, as the
    /// reason for a refusal.
    pub(super) async fn refusal(mut self) -> Option<Emitted> {
        let mut refusal = None;
        while let Some(emitted) = self.message().await {
            if emitted.is_reply() && emitted.value.get("error").is_some() {
                refusal.get_or_insert(emitted);
            }
        }
        refusal
    }
}
