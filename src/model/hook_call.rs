//! What stands before the call of a hook, so that a shell refuses in its place where the program is gone: clients run the tool on most
//! other failures. One text, for who writes it into settings and for who must know it again.

/// The word before the call itself.
const EXEC: &str = "exec ";

/// Returns what refuses where a program, written as a word of a shell, is not there or is empty. A status of 2 with a reason refuses in
/// every client that calls a hook by a shell.
#[must_use]
pub fn refusing_without(program: &str) -> String {
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
        Some((program, _)) if refusing_without(program) == before => call,
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
