//! Ways on which names come out of a directory to a word, and what reads the file that the word names.

/// `READ` stands for what reads, `DIR` for the directory; beside it the word, as it stands there.
const WAYS: &[(&str, &str)] = &[
    ("READ", "\"DIR/$(ls DIR)\""),
    ("READ", "\"DIR/$(ls DIR | head -1)\""),
    ("READ", "\"$PWD/DIR/$(ls DIR | tail -1)\""),
    ("READ", "$(ls DIR/*)"),
    ("READ", "$(ls -t DIR/* | head -1)"),
    ("READ", "$(find DIR -type f)"),
    ("f=$(ls DIR | tail -1); READ", "\"DIR/$f\""),
    ("f=$(ls DIR/*); READ", "$f"),
    ("for f in $(ls DIR); do READ; done", "\"DIR/$f\""),
    ("for f in $(ls DIR/*); do READ; done", "\"$f\""),
    ("ls DIR | while read f; do READ; done", "\"DIR/$f\""),
    ("while read -r f; do READ; done < <(ls DIR)", "\"DIR/$f\""),
    ("cd DIR; for f in $(ls); do READ; done", "\"$f\""),
    ("ls DIR | xargs -I{} READ", "DIR/{}"),
    ("ls DIR/* | xargs READ", ""),
    ("find DIR -type f | xargs READ", ""),
    ("find DIR -type f -exec READ \\;", "{}"),
];

/// Commands that show the file which a word names.
const READERS: &[&str] = &[
    "cat WORD",
    "head -n 5 WORD",
    "od -c WORD",
    "sed -n p WORD",
    "grep . WORD",
    "cat < WORD",
    "tr a b < WORD",
    "dd if=WORD",
    "tar cf - WORD",
    "tar cf /dev/stdout WORD",
];

/// Returns all lines that read, in one of these ways, the files of a directory.
pub fn lines(directory: &str) -> impl Iterator<Item = String> {
    WAYS.iter().flat_map(move |(way, word)| {
        READERS.iter().filter(|reader| is_line(way, word, reader)).map(move |reader| {
            let line = way.replace("READ", &reader.replace("WORD", word));
            line.replace("DIR", directory)
        })
    })
}

/// Whether what is carried takes the word as one of its own, and that is one.
fn is_line(way: &str, word: &str, reader: &str) -> bool {
    let is_carried = way.contains("xargs") || way.contains("-exec");
    let takes =
        !is_carried || !reader.contains('<') && (!word.is_empty() || reader.ends_with(" WORD"));
    let is_alone = word.starts_with('"') || !reader.contains(['<', '=']);
    takes && is_alone
}
