//! Code of other languages that grows without end: a loop that nothing leaves makes a text, a list or a file longer in each turn.
//! This module goes by the text alone, as `rules/inner/growth.toml` says; whether such code is reached is not looked at.

use fast_glob::glob_match;

use crate::model::Language;

include!(concat!(env!("OUT_DIR"), "/growth.rs"));

/// Code beyond this is no line that somebody writes to fill a disk; matching it takes long.
const LONG: usize = 8 << 10;

/// Returns whether code holds a loop without end that fills the memory or the disk.
pub fn grows_without_end(text: &str, language: Language) -> bool {
    let name = match language {
        Language::Python => "python",
        Language::JavaScript => "javascript",
        Language::Perl => "perl",
        Language::Ruby => "ruby",
        Language::Php => "php",
        Language::Awk => "awk",
        Language::Jq => "jq",
        Language::Shell
        | Language::Sed
        | Language::Sql(_)
        | Language::Fzf
        | Language::Make
        | Language::Patch
        | Language::Template
        | Language::C
        | Language::Names
        | Language::Other => return false,
    };
    if text.len() > LONG {
        return false;
    }
    let mut plain = None;
    let mut fits = |rows: &[&str]| {
        let globs = rows.iter().filter_map(|row| row.split_once("  "));
        let mut globs = globs.filter(|(of, _)| *of == name).map(|(_, glob)| glob);
        let plain = plain.get_or_insert_with(|| without_blanks(text));
        globs.any(|glob| glob_match(glob, plain.as_str()))
    };
    fits(GROWS) && !fits(ENDS)
}

/// Removes blanks. A glob's `*` stands for all but `/`.
fn without_blanks(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_whitespace());
    kept.map(|c| if c == '/' { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_grows_without_end_is_told_from_code_that_ends() {
        for (text, language) in [
            ("x=[]\nwhile 1: x+=[0]*10**6", Language::Python),
            ("list(iter(int, 1))", Language::Python),
            ("a=[];while(1)a.push(1)", Language::JavaScript),
            ("setInterval(()=>fs.appendFileSync('/tmp/x','y'),0)", Language::JavaScript),
            ("BEGIN{for(;;)a[i++]=i}", Language::Awk),
            ("[repeat(1)]", Language::Jq),
        ] {
            assert!(grows_without_end(text, language), "{text}");
        }
        for (text, language) in [
            ("while True:\n  x+=1\n  if x>9: break", Language::Python),
            ("setInterval(()=>console.log(1),1000)", Language::JavaScript),
            ("for(;;){if(i>9)break;i+=1}", Language::JavaScript),
            ("BEGIN{while(1){if(i++>9)exit}}", Language::Awk),
            ("[limit(3;repeat(1))]", Language::Jq),
            ("while :; do x+=y; done", Language::Shell),
        ] {
            assert!(!grows_without_end(text, language), "{text}");
        }
    }
}
