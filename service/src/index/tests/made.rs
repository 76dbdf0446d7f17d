//! Records that are made up, as many as are wanted.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use guarded_sh::audit::{BEGINNING, sha256};
use jiff::{SignedDuration, Timestamp};

const WORDS: [&str; 24] = [
    "git push origin main",
    "npm test",
    "cargo build --release",
    "src/lib.rs",
    "docs/read.md",
    "rm -rf target",
    "grep -rn pattern",
    "python3 -m pytest",
    "tests/unit/test_api.py",
    "sed -i s/a/b/",
    "cat notes.txt",
    "curl https://api.example.com/v1/items",
    "ls -la",
    "kubectl get pods",
    "docker compose up",
    "make check",
    "&&",
    "|",
    "2>&1",
    "head -50",
    "cd /home/u/app",
    "--no-verify",
    "echo done",
    "for f in *.rs; do",
];
const RULES: [&str; 4] =
    ["git.push", "effect.fetch", "effect.delete-tree", "filesystem.delete.outside"];

/// Numbers as they come from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        // Knuth's multiplier (MMIX); the upper bits are the good ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one<'w>(&mut self, of: &[&'w str]) -> &'w str {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

/// Writes records, chained as the guard chains them: a day's file each 20,000, and every fourth says what came of the one before.
pub fn write(directory: &Path, count: u64) {
    std::fs::create_dir_all(directory).unwrap();
    let (mut numbers, mut previous) = (Numbers(7), BEGINNING.to_owned());
    let begun: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let (mut file, mut name, mut length) = (None, String::new(), 0);
    for sequence in 0..count {
        let time = begun + SignedDuration::from_millis(i64::try_from(sequence).unwrap() * 4_320);
        if sequence % 20_000 == 0 {
            (name, length) = (format!("{}.jsonl", time.strftime("%Y-%m-%d")), 0);
            file = Some(BufWriter::new(File::create(directory.join(&name)).unwrap()));
        }
        let mut text = fields(&mut numbers, sequence, time);
        write!(text, ",\"previous\":\"{previous}\"").unwrap();
        previous = sha256(text.as_bytes());
        let line = format!("{text},\"hash\":\"{previous}\"}}\n");
        file.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        length += line.len();
    }
    file.unwrap().flush().unwrap();
    let head = format!("{count:020} {previous:64} {name:16} {length:020}\n");
    std::fs::write(directory.join("head"), head).unwrap();
}

fn fields(numbers: &mut Numbers, sequence: u64, time: Timestamp) -> String {
    if sequence % 4 == 3 {
        let first = sequence - 1;
        return format!(
            "{{\"sequence\":{sequence},\"ref\":{first},\"time\":\"{time:.6}\",\"door\":\"hook\",\"pid\":9,\"action\":\"allow\",\"decided_by\":\"observed\",\
             \"micros\":0,\"hook\":{{\"event\":\"PostToolUse\",\"tool\":\"Bash\",\"outcome\":\"done\"}}"
        );
    }
    let words: Vec<&str> = (0..=numbers.below(7)).map(|_| numbers.one(&WORDS)).collect();
    let (line, id) = (words.join(" "), numbers.below(1 << 31));
    let (action, by, severity, score) = match numbers.below(50) {
        0 => ("deny", "person-deny", "high", 40),
        1 => ("deny", "nobody", "critical", 10),
        2..5 => ("allow", "person-once", "medium", 80),
        _ => ("allow", "policy", "low", 100),
    };
    let rule = numbers.one(&RULES);
    let (session, project) = (sequence / 300, numbers.below(40));
    format!(
        "{{\"sequence\":{sequence},\"time\":\"{time:.6}\",\"session\":\"session-{session}\",\"caller\":\"claude\",\"pid\":4711,\"host\":\"machine\",\
         \"user\":\"u\",\"version\":\"0.1.0\",\"policy\":\"sha256:{:064}\",\"cwd\":\"/home/u/project-{project}\",\"line\":\"{line} {id:x}\",\
         \"action\":\"{action}\",\"severity\":\"{severity}\",\"score\":{score},\"findings\":[{{\"rule\":\"{rule}\",\"severity\":\"{severity}\",\
         \"reason\":\"because of what it does\"}}],\"decided_by\":\"{by}\",\"mode\":\"enforce\",\"micros\":512",
        0
    )
}
