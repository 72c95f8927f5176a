//! What may be wrong with a server with tasks.

/// What is wrong with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskFault {
    None,
    /// It answers `tasks/result` before the task is finished.
    AnswersEarly,
    /// A finished task can be cancelled.
    CancelsFinished,
    /// Tasks are not listed once they are finished.
    ListsUnfinished,
    /// The task is the one of the metadata, not of the parameter.
    ReadsMetadata,
    /// The result of a task can be fetched once.
    ForgetsResult,
    /// A task whose tool fails counts as completed.
    CompletesFailed,
    /// `tasks/cancel` is answered before the task is cancelled.
    CancelsLater,
    /// A cancelled task is completed in the end.
    CompletesCancelled,
    /// All tasks have the same id.
    RepeatsIds,
    /// The ids of tasks are counted.
    CountsIds,
    /// The client chooses the id of a task.
    AdoptsIds,
    /// A task without `ttl` is refused.
    RequiresTtl,
    /// Tools whose support for tasks is optional are only run as tasks.
    OnlyTasks,
    /// It notifies of each task with related-task metadata.
    NotifiesWithMetadata,
    /// It reports the progress of each task without related-task metadata.
    ReportsUnrelated,
    /// A task whose tool fails with an error has a result with `isError`.
    WrapsErrors,
    /// It notifies that a finished task is at work.
    NotifiesAfterEnd,
    /// It answers with tasks whether or not the client declares the extension.
    TasksForEveryone,
    /// It takes the member `task` of 2025-11-25 for a declaration of the extension.
    TasksByMember,
    /// It takes the extension for declared once a request has declared it.
    RemembersDeclaration,
    /// A client without the extension can subscribe to tasks.
    AcceptsSubscriptions,
    /// A task of the extension that is at work has a result.
    HasEarlyResults,
    /// A task of the extension never ends, and is `canceled`.
    MisspellsCancelled,
    /// `tasks/cancel` of the extension changes a finished task.
    CancelsFinishedOfExtension,
    /// An answer that nobody waits for is an error.
    RefusesUnknownKeys,
}
