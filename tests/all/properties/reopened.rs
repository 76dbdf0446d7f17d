//! A guarded file that a descriptor was opened to read is never written unasked by the descriptor's name, whoever writes and however the
//! descriptor came by its number.

use guarded_sh::model::Severity;

use super::{none_of, severity};

const PLACES: &[&str] = &[
    "~/.bashrc",
    "~/.ssh/authorized_keys",
    "~/notes/plan.md",
    ".git/config",
    ".claude/settings.json",
    ".github/workflows/ci.yml",
    "/etc/passwd",
];

const WRITERS: &[&str] = &[
    "echo x > {}",
    "echo x >> {}",
    ": >| {}",
    "tee {} README.md",
    "cp README.md {}",
    "sort -o {} README.md",
    "git diff --output={}",
    "python3 -c \"open('{}', 'w').write('x')\"",
    "node -e \"require('fs').writeFileSync('{}', 'x')\"",
];

/// The names of a descriptor, and what opens it around a command that stands for `{}`; the place stands for `P`.
const WAYS: &[(&str, &str)] = &[
    ("/dev/stdin", "{} < P"),
    ("/dev/fd/0", "({}) < P"),
    ("/proc/self/fd/0", "{ {}; } 0<P"),
    ("/dev/fd/3", "exec 3<P; {}"),
    ("/dev/fd/3", "{ {}; } 3<P"),
    ("/proc/self/fd/9", "exec 4<P 9<&4; {}"),
    ("/dev/fd/10", "exec {f}<P; {}"),
    ("/dev/stdout", "exec 3<P; { {}; } 1<&3"),
    ("/dev/stdin", "f() { {}; }; f < P"),
];

#[test]
fn what_a_descriptor_reads_is_not_written_unasked_by_its_name() {
    let mut wrong = Vec::new();
    for place in PLACES {
        for (name, way) in WAYS {
            for writer in WRITERS {
                let command = writer.replace("{}", name);
                let line = way.replacen("{}", &command, 1).replace('P', place);
                if severity(&line) == Severity::Low {
                    wrong.push(line);
                }
            }
        }
    }
    none_of(&wrong);
}
