//! The command line as scripts and shells see it: what it prints and where, which files it writes, how it ends.

mod alias;
mod baseline;
mod cases_record;
mod cases_run;
mod client;
mod environment;
mod files;
mod guarded;
mod order;
mod pipes;
mod program;
mod schema;
mod secrets;
mod serving;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(unix)]
mod stubborn;
mod validate;
mod verify_client;
