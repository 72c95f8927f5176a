//! The hostile server as a program, over its standard streams: `hostile-peer stdio MISBEHAVIOR METHOD`; and the hostile client:
//! `hostile-peer client ATTACK URL` or `hostile-peer client ATTACK COMMAND ARGS…`.

use std::process::{Command, ExitCode, Stdio};
use std::{env, io, process, thread};

use mcp_test_tests::hostile::lines::{Ended, serve};
use mcp_test_tests::hostile::{Behavior, Hostile, client};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["stdio", behavior, on] => match behavior.parse() {
            Ok(behavior) => run(&Hostile::on(on, behavior)),
            Err(why) => wrong_usage(&why),
        },
        ["client", attack, ref target @ ..] => match client::run(attack, target) {
            Ok(code) => process::exit(code),
            Err(error) => wrong_usage(&error.to_string()),
        },
        // Before this it has another command line, that of the program which starts it.
        ["hold", "announced"] => {
            eprintln!("started");
            run_forever()
        }
        // The process that is left behind, which holds the pipes of its parent.
        ["hold", ..] => run_forever(),
        ["echo", ..] => echo(),
        ["print", ..] => {
            println!("{}", given_in_every_form().join("\n"));
            eprintln!("{}", given_in_every_form().join("\n"));
            ExitCode::FAILURE
        }
        _ => wrong_usage("hostile-peer stdio MISBEHAVIOR METHOD"),
    }
}

/// The variables that look secret, and the arguments, as they are and encoded.
fn given_in_every_form() -> Vec<String> {
    let variables = env::vars().filter(|(name, _)| name.starts_with("MY_"));
    let given = variables.map(|(_, value)| value).chain(env::args().skip(2));
    // The value of `--token=VALUE`, the credentials of `Authorization: Bearer …`, and the password of a URL.
    let parts = given.flat_map(|text| {
        let parts: Vec<_> = text.split(['=', ' ', '@']).map(str::to_owned).collect();
        let passwords =
            text.rsplit(':').next().and_then(|it| it.split('@').next()).map(str::to_owned);
        parts.into_iter().chain(passwords).collect::<Vec<_>>()
    });
    parts.flat_map(|text| forms(&text)).collect()
}

fn forms(text: &str) -> Vec<String> {
    let hex = |form: fn(u8) -> String| text.bytes().map(form).collect::<String>();
    let percent = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    let mut forms = vec![
        text.to_owned(),
        hex(percent),
        hex(|byte| format!("%{byte:02x}")),
        hex(|byte| format!("{byte:02x}")),
        hex(|byte| format!("{byte:02X}")),
    ];
    forms.extend(["", "m", "me", "me:"].map(|user| base64(&format!("{user}{text}"))));
    forms
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.as_bytes().chunks(3).flat_map(|bytes| {
        let bits =
            (0..3).fold(0, |bits, at| bits << 8 | bytes.get(at).map_or(0, |it| usize::from(*it)));
        let digit = move |at: usize| char::from(DIGITS[bits >> (18 - 6 * at) & 63]);
        (0..=bytes.len()).map(digit)
    });
    digits.collect()
}

/// A server that repeats what it was given on standard error and in each reply but that to `initialize`.
fn echo() -> ExitCode {
    let forms = given_in_every_form();
    eprintln!("{}", forms.join("\n"));
    let quoted = forms.iter().map(|form| format!("{form:?}")).collect::<Vec<_>>().join(",");
    for line in io::stdin().lines().map_while(Result::ok) {
        let Some((_, id)) = line.split_once("\"id\":") else { continue };
        let id = id.split([',', '}']).next().unwrap_or_default();
        let result = match line.contains("\"initialize\"") {
            true => {
                let name = format!("{:?}", forms[0]);
                format!(
                    r#"{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":{name},"version":"1"}}}}"#
                )
            }
            // The result of `ping` is empty, so that this is reported.
            false => format!("{{{:?}:[{quoted}]}}", forms[0]),
        };
        println!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    }
    ExitCode::SUCCESS
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
