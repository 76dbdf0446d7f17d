//! The shell text that is judged: lines as agents write them, and scripts of any length.
//! The same every time: nothing here is random, and nothing of it is ever run.

use std::fmt::Write;

/// A line with a name for it.
pub struct Line {
    pub name: &'static str,
    pub text: &'static str,
}

/// From the shortest to the longest.
pub const LINES: [Line; 6] = [
    Line { name: "true", text: "true" },
    Line { name: "git status", text: "git status" },
    Line {
        name: "pipeline",
        text: "grep -rn --include='*.rs' 'fn main' src 2>/dev/null | sort -u | head -n 20 > out/found.txt",
    },
    Line {
        name: "loop",
        text: r#"for file in src/*.rs; do wc -l "$file" && head -n 3 "$file"; done"#,
    },
    Line {
        name: "here-document",
        text: "cat > docs/notes.md <<'END'\n# Notes\n\nWhat `this` says is $(not) run.\nIt is only written.\nEND\n",
    },
    Line { name: "long", text: LONG },
];

const LONG: &str = r#"set -euo pipefail
cd "$HOME/project" && git fetch --quiet origin
branch=$(git rev-parse --abbrev-ref HEAD)
changed=$(git diff --name-only "origin/main...$branch" -- '*.rs' | wc -l)
if [[ $changed -gt 0 && $branch != main ]]; then
  echo "$changed files differ on $branch" >&2
  cargo fmt --check && cargo clippy --all-targets -- -D warnings 2>&1 | tee out/clippy.txt | tail -n 30
else
  echo "nothing to check"; exit 0
fi
for crate in core cli web; do
  (cd "crates/$crate" && cargo test --quiet 2>&1 | grep -E '^(test result|error)' || true)
done
find target -name '*.profraw' -mtime +1 -print0 | xargs -0 --no-run-if-empty ls -l
curl -fsS https://ci.example.com/api/status.json | jq -r '.jobs[] | select(.state == "failed") | .name'
cat > out/summary.md <<END
## Checked $branch
$changed files, at $(date +%H:%M)
END
sudo systemctl restart preview.service && rm -rf out/old
"#;

/// Statements that a script is made of, in turn; `@` becomes the number of the round.
const STATEMENTS: [&str; 10] = [
    "grep -rn --include='*.rs' \"part_@\" src | sort -u | head -n 20 > out/found-@.txt 2>&1\n",
    "# Part @: what the build left behind is looked at first.\n",
    "name_@=build-@ kind=release\n",
    "for file in src/part-@/*.rs; do\n  wc -l \"$file\" && head -n 3 \"$file\"\ndone\n",
    "if [[ -f out/part-@.txt && $name_@ == build-* ]]; then\n  cp out/part-@.txt \"out/$name_@.bak\"\n\
     else\n  echo \"part @ is missing\" >&2\nfi\n",
    "cat > out/notes-@.md <<'END'\n## Part @\n\nText that is no shell: `this` and $(that) are only written.\nEND\n",
    "case $kind in\n  release) mkdir -p \"out/$name_@\" ;;\n  *) echo \"${kind:-none}\" ;;\nesac\n",
    "part_@() {\n  local lines\n  lines=$(wc -l < \"src/part-@.rs\")\n  printf '%s lines\\n' \"$lines\"\n}\npart_@\n",
    "git log --oneline -n 5 -- src/part-@.rs && git diff --stat HEAD~1 -- src/part-@.rs || true\n",
    "(cd src/part-@ && ls -la) | while read -r line; do echo \"$((@ + ${#line}))\"; done\n",
];

/// Returns a script of exactly so many bytes.
pub fn script(bytes: usize) -> String {
    let mut script = String::with_capacity(bytes);
    for (index, statement) in STATEMENTS.iter().cycle().enumerate() {
        let number = (index / STATEMENTS.len()).to_string();
        let statement = statement.replace('@', &number);
        if script.len() + statement.len() > bytes {
            break;
        }
        script.push_str(&statement);
    }
    // A comment takes up what is left.
    let left = bytes - script.len();
    script.extend(std::iter::repeat_n('#', left));
    script
}

/// Returns one command with so many operands.
pub fn command(operands: usize) -> String {
    let mut command = "wc -l".to_owned();
    for number in 0..operands {
        // Writing to a string cannot fail.
        let _ = write!(command, " src/part-{}/file-{number}.rs", number % 50);
    }
    command
}
