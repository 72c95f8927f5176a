//! The command as scripts and shells see it: output, files, exit codes.

mod alias;
mod auth_check;
#[cfg(unix)]
mod authorization;
#[cfg(unix)]
mod authorization_server;
mod baseline;
mod blind_spots;
#[cfg(target_os = "linux")]
mod cases_before;
mod cases_format;
mod cases_record;
mod cases_run;
mod ci_reports;
mod client;
#[cfg(target_os = "linux")]
mod client_stdio;
mod config;
#[cfg(unix)]
mod echo;
mod environment;
mod explore;
mod files;
mod guarded;
#[cfg(target_os = "linux")]
mod hostile_text;
mod json_documents;
mod known;
mod manual_request;
mod options_of_output;
mod options_of_runs;
mod order;
mod pipes;
#[cfg(unix)]
mod process_starts;
mod program;
#[cfg(target_os = "linux")]
mod protected;
mod schema;
mod secrets;
mod serving;
#[cfg(target_os = "linux")]
mod sign_in;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(unix)]
mod stubborn;
#[cfg(target_os = "linux")]
mod terminal;
mod validate;
mod verify_client;
