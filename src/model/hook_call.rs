//! What stands before the call of a hook, so that a shell refuses in its place where the program is gone, or cannot start in the memory that
//! there is: clients run the tool on most other failures. One text, for who writes it into settings and for who must know it again.

/// The word before the call itself.
const EXEC: &str = "exec ";

/// What refuses where a program would end before it could say anything: below 100,000 KiB, a number of at most five digits. That is twice what
/// it needs to start; where later there is not enough, it says so itself.
const MEMORY: &str = "case $(ulimit -v) in ?|??|???|????|?????) echo 'guarded-sh: refused: there is too little memory for the guard \
     (ulimit -v); nothing runs until there is more' >&2; exit 2;; esac; ";

/// Returns what refuses where a program, written as a word of a shell, is not there or is empty, or there is no memory for it. A status of 2
/// with a reason refuses in every client that calls a hook by a shell.
#[must_use]
pub fn refusing_without(program: &str) -> String {
    gone(program) + MEMORY
}

/// What refuses where a program is not there or is empty: all that stood before a call in settings that an older version wrote.
fn gone(program: &str) -> String {
    format!(
        "[ -x {program} ] && [ -s {program} ] || {{ echo 'guarded-sh: refused: the guard is gone; nothing runs until it is installed again, \
         or taken out of the hooks. It was' {program} >&2; exit 2; }}; "
    )
}

/// Returns the call of a hook without what [`refusing_without`] puts before it; the line as it is where that is not all that stands there.
#[must_use]
pub fn hook_call(line: &str) -> &str {
    let behind = line.rfind("; exec ").map(|at| line.split_at(at + "; ".len()));
    let Some((before, call)) = behind else { return line };
    let program = call.strip_prefix(EXEC).and_then(|call| call.split_once(" hook "));
    match program {
        Some((program, _)) if before == gone(program) || before == refusing_without(program) => {
            call
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_text_is_taken_off() {
        for program in ["/usr/bin/guarded-sh", "'/home/a b/guarded-sh'"] {
            let call = format!("exec {program} hook claude --limit 300");
            let line = format!("{}{call}", refusing_without(program));
            assert_eq!(hook_call(&line), call);
            assert_eq!(hook_call(&format!("{}{call}", gone(program))), call);
            for other in [
                line.replacen("exit 2", "exit 0", 1),
                line.replacen(program, "/bin/true", 1),
                format!("ls; {line}"),
                call.clone(),
            ] {
                assert_eq!(hook_call(&other), other);
            }
        }
    }
}
