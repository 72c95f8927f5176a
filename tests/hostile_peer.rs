//! The hostile server as a program, over its standard streams: `hostile-peer stdio MISBEHAVIOR METHOD`.

use std::process::{Command, ExitCode, Stdio};
use std::{env, io, process, thread};

use mcp_test_tests::hostile::lines::{Ended, serve};
use mcp_test_tests::hostile::{Behavior, Hostile};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["stdio", behavior, on] => match behavior.parse() {
            Ok(behavior) => run(&Hostile::on(on, behavior)),
            Err(why) => wrong_usage(&why),
        },
        // The process that is left behind, which holds the pipes of its parent.
        ["hold"] => run_forever(),
        _ => wrong_usage("hostile-peer stdio MISBEHAVIOR METHOD"),
    }
}

fn wrong_usage(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn run_forever() -> ! {
    loop {
        thread::park();
    }
}

#[expect(clippy::zombie_processes, reason = "it must outlive this process")]
fn leave_process_behind() {
    let own = env::current_exe().expect("a program has a path");
    Command::new(own).arg("hold").stdin(Stdio::null()).spawn().expect("it can be started again");
}

fn run(hostile: &Hostile) -> ExitCode {
    if hostile.behavior == Behavior::Grandchild {
        leave_process_behind();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let ended = runtime.block_on(serve(hostile, tokio::io::stdin(), tokio::io::stdout()));
    match (ended, hostile.behavior) {
        (Ok(Ended::ClientLeft), Behavior::IgnoreEof) => run_forever(),
        // The thread that reads standard input blocks a normal return.
        (Ok(_), _) => process::exit(0),
        (Err(error), _) if error.kind() == io::ErrorKind::BrokenPipe => process::exit(0),
        (Err(error), _) => {
            eprintln!("{error}");
            process::exit(1)
        }
    }
}
