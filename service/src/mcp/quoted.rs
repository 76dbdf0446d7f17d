//! Words as a line of bash that is these words and nothing else. Reads no line.

/// What bash reads as its own where a command begins.
const RESERVED: &str =
    "if then elif else fi for while until do done case esac in select function time coproc";

/// Returns the line of a command and its words.
pub fn line(words: &[String]) -> String {
    let quoted = words.iter().enumerate().map(|(at, word)| {
        let is_reserved = at == 0 && RESERVED.split(' ').any(|reserved| reserved == word);
        // `A=b` before a command sets a variable.
        let is_plain = |byte: u8| {
            byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte) || (byte == b'=' && at > 0)
        };
        if !word.is_empty() && !is_reserved && word.bytes().all(is_plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn bash_reads_each_word_as_it_is() {
        let words = [
            "printf", "<%s>", "", "a b", "\n", "'", "''", "\"", "{a,b}", "a{1..3}", "~", "a=~",
            "$x", "`x`", "\\", "!", "*", "[a]", "if", "A=b", "#", "ü", "\u{1}", "-n", "a;b", "x&",
            "(", "a^b", "%1", "=ls", "@", "+(a)",
        ];
        let words: Vec<String> = words.map(str::to_owned).into();
        let output = Command::new("bash").args(["-c", &line(&words)]).output().unwrap();
        let is = format!("<{}>", words[2..].join("><"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), is);
        // A first word is a command, whatever it is, and none is found here.
        for word in RESERVED.split(' ').chain(["A=b", "!", "{", "[[", "}"]) {
            let mut bash = Command::new("/bin/bash");
            let output =
                bash.args(["-c", &line(&[word.to_owned()])]).env("PATH", "/nowhere").output();
            assert_eq!(output.unwrap().status.code(), Some(127), "{word}");
        }
    }
}
