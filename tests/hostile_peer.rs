//! The hostile server as a program, over its standard streams: `hostile-peer stdio MISBEHAVIOUR METHOD`.

use std::process::{Command, ExitCode, Stdio};
use std::{env, io, process, thread};

use mcp_test_tests::hostile::lines::{Over, serve};
use mcp_test_tests::hostile::{Hostile, How};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["stdio", how, on] => match how.parse() {
            Ok(how) => run(&Hostile::on(on, how)),
            Err(why) => wrong_usage(&why),
        },
        // What is left behind, with the pipes of its parent.
        ["hold"] => stay(),
        _ => wrong_usage("hostile-peer stdio MISBEHAVIOUR METHOD"),
    }
}

fn wrong_usage(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn stay() -> ! {
    loop {
        thread::park();
    }
}

#[expect(clippy::zombie_processes, reason = "nobody is to wait for it")]
fn leave_behind() {
    let own = env::current_exe().expect("a program has a path");
    Command::new(own).arg("hold").stdin(Stdio::null()).spawn().expect("it can be started again");
}

fn run(hostile: &Hostile) -> ExitCode {
    if hostile.how == How::Grandchild {
        leave_behind();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let over = runtime.block_on(serve(hostile, tokio::io::stdin(), tokio::io::stdout()));
    match (over, hostile.how) {
        (Ok(Over::ClientLeft), How::IgnoreEof) => stay(),
        // The thread that reads standard input cannot be waited for.
        (Ok(_), _) => process::exit(0),
        (Err(error), _) if error.kind() == io::ErrorKind::BrokenPipe => process::exit(0),
        (Err(error), _) => {
            eprintln!("{error}");
            process::exit(1)
        }
    }
}
