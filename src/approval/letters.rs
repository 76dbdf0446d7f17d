//! Letters and signs in a line that only look like others (Unicode Technical Standard 39): a person would take the word for another one.
//! Words of one alphabet are nobody's disguise, whichever that is.

use super::text::cut;
use super::visible;
use crate::model::Span;

/// Letters of Cyrillic and Greek that look like Latin ones. The others of these alphabets are taken for nothing else: `50 μs`, `Δt`.
const ALIKE: &str = "аАВЬсСԁеЕҽһНіІїјЈКкӏӀМоОрРԛгѕЅТѵѴԝѡԜхХуУүҮЗбпԌ\
    αΑΒϲϹΕΗιΙϳͿΚκΜΝνοΟρΡΤυΧΥΖ";
/// Alphabets of which most letters look like Latin ones, and which nobody writes together with those: Armenian, Georgian, Cherokee, Canadian
/// syllabics, Coptic, Tifinagh, Lisu, Deseret and what stands around it.
const FOREIGN: [(char, char); 9] = [
    ('\u{531}', '\u{58f}'),
    ('\u{10a0}', '\u{10ff}'),
    ('\u{13a0}', '\u{167f}'),
    ('\u{2c80}', '\u{2cff}'),
    ('\u{2d30}', '\u{2d7f}'),
    ('\u{a4d0}', '\u{a4ff}'),
    ('\u{ab70}', '\u{abbf}'),
    ('\u{10280}', '\u{104ff}'),
    ('\u{118a0}', '\u{118ff}'),
];
/// Other forms of Latin letters: phonetic and small ones, numerals, letters of formulas, in circles, of full width.
const FORMS: [(char, char); 10] = [
    ('\u{251}', '\u{251}'),
    ('\u{261}', '\u{261}'),
    ('\u{17f}', '\u{17f}'),
    ('\u{1d00}', '\u{1d2b}'),
    ('\u{2102}', '\u{2149}'),
    ('\u{2160}', '\u{217f}'),
    ('\u{249c}', '\u{24e9}'),
    ('\u{ff21}', '\u{ff5a}'),
    ('\u{1d400}', '\u{1d7ff}'),
    ('\u{1f110}', '\u{1f189}'),
];
/// Digits of full width, which people also write behind Latin letters where they write with wide characters.
const WIDE_DIGITS: [(char, char); 1] = [('\u{ff10}', '\u{ff19}')];
/// Signs that look like those of a shell, with them. A dash is one only where an option begins.
const SIGNS: [(&str, char); 9] = [
    ("∕⁄⧸／╱", '/'),
    ("․．", '.'),
    ("＿", '_'),
    ("；\u{37e}", ';'),
    ("｜∣ǀ", '|'),
    ("＆", '&'),
    ("＞", '>'),
    ("＄", '$'),
    ("＝", '='),
];
const DASHES: &str = "‐‑‒–—―−－﹣ー";
/// What a word ends at.
const ENDS: &str = "'\"`;|&()<>={}[],:$";
/// Words that are told one by one.
const MOST: usize = 4;
/// Columns of a word that is told.
const WORD: usize = 24;

/// Returns the words of a line that look like others, each with why.
#[must_use]
pub fn doubtful(line: &str) -> Vec<(Span, String)> {
    if line.is_ascii() {
        return Vec::new();
    }
    // Where people write with wide characters they write others of full width, too.
    let is_wide = line.chars().any(is_east_asian);
    let mut found = Vec::new();
    for (at, word) in words(line) {
        let Some(why) = why(word, is_wide) else { continue };
        let reason = match found.len() {
            0..MOST => format!("'{}' {why}", cut(&visible(word), WORD)),
            _ => "more words are not what they look like".to_owned(),
        };
        found.push((Span::new(at, at + word.len()), reason));
    }
    found
}

/// Returns the words of a line, each with where it begins.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_end = |c: char| c.is_whitespace() || ENDS.contains(c);
    let mut at = 0;
    line.split_inclusive(is_end).map(move |piece| {
        let start = at;
        at += piece.len();
        (start, piece.trim_end_matches(is_end))
    })
}

fn why(word: &str, is_wide: bool) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    for run in word.split(|c: char| !c.is_alphanumeric()) {
        let mixes = run.contains(|c: char| c.is_ascii_alphabetic());
        let alien = run.chars().find(|c| ALIKE.contains(*c) || is_in(*c, &FOREIGN));
        if let Some(alien) = alien.filter(|_| mixes) {
            return Some(format!(
                "has letters of two alphabets: '{alien}' is \\u{{{:x}}}",
                u32::from(alien)
            ));
        }
        let is_plain = run.contains(|c: char| c.is_ascii_alphanumeric());
        let is_form = |c: &char| is_in(*c, &FORMS) || !is_wide && is_in(*c, &WIDE_DIGITS);
        let form = run.chars().find(is_form);
        if let Some(form) = form.filter(|_| !run.contains(is_east_asian) && (is_plain || !is_wide))
        {
            return Some(format!(
                "has letters of another form: '{form}' is \\u{{{:x}}}",
                u32::from(form)
            ));
        }
    }
    sign(word, is_wide).map(|(sign, of)| {
        format!("has '{sign}' (\\u{{{:x}}}), which is no '{of}'", u32::from(sign))
    })
}

/// Returns a sign in a word that is taken for one of a shell, and that one.
fn sign(word: &str, is_wide: bool) -> Option<(char, char)> {
    let mut rest = word.chars();
    let first = rest.next()?;
    if DASHES.contains(first) && rest.next().is_some_and(|next| next.is_ascii_alphabetic()) {
        return Some((first, '-'));
    }
    let found = SIGNS
        .iter()
        .find_map(|(signs, of)| word.chars().find(|c| signs.contains(*c)).map(|sign| (sign, *of)));
    found.filter(|_| !is_wide && word.contains(|c: char| c.is_ascii_alphanumeric()))
}

fn is_in(c: char, ranges: &[(char, char)]) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Whether a character is one of Chinese, Japanese or Korean.
const fn is_east_asian(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_others_are_told() {
        for (line, words) in [
            ("curl https://\u{440}\u{430}ypal.com/x", vec!["//\u{440}\u{430}ypal.com/x"]),
            ("g\u{456}t push or\u{456}gin", vec!["g\u{456}t", "or\u{456}gin"]),
            ("git commit -m '\u{3bf}k'", vec!["\u{3bf}k"]),
            ("npm install l\u{585}dash", vec!["l\u{585}dash"]),
            ("\u{ff52}m -rf x", vec!["\u{ff52}m"]),
            ("\u{ff52}\u{ff4d} -rf x", vec!["\u{ff52}\u{ff4d}"]),
            ("\u{1d5cb}\u{1d5c6} x", vec!["\u{1d5cb}\u{1d5c6}"]),
            ("cat etc\u{2215}passwd", vec!["etc\u{2215}passwd"]),
            ("rm \u{2013}rf x", vec!["\u{2013}rf"]),
            ("echo a\u{ff1b}b", vec!["a\u{ff1b}b"]),
        ] {
            let found = doubtful(line);
            let found: Vec<&str> =
                found.iter().map(|(span, _)| &line[span.start..span.end]).collect();
            assert_eq!(found, words, "{line}");
        }
    }

    #[test]
    fn words_of_one_alphabet_are_not_told() {
        for line in [
            "git commit -m 'исправить ошибку в API-клиенте'",
            "git commit -m 'исправить отчёт.txt, см. README'",
            "rm 'Отчёт за год.docx' данные.csv",
            "git commit -m 'APIのバグを修正：ＡＰＩ ver２ を追加、エラー処理／ログ'",
            "git commit -m '修正 bug：缓存失效；更新 README。'",
            "git commit -m '버그 수정: README 업데이트'",
            "git commit -m 'διόρθωση του README'",
            "git commit -m 'latency 50 μs → 40μs, Δt ≤ 3σ, µm'",
            "git commit -m 'don’t fail – see pages 2–3 … “quoted” ½ ×2 €5'",
            "echo 'naïve café Straße Ångström İstanbul ığdır'",
            "echo 'cafe\u{301} 🎉 ✓ → ✗ ─── │ │'",
            "git commit -m 'תיקון README' && echo 'إصلاح'",
            "ls -la",
        ] {
            assert_eq!(doubtful(line), [], "{line}");
        }
    }

    #[test]
    fn many_words_are_told_in_few() {
        let line = "\u{440}a ".repeat(9);
        let found = doubtful(&line);
        assert_eq!(found.len(), 9);
        assert_eq!(found[0].1, "'\u{440}a' has letters of two alphabets: '\u{440}' is \\u{440}");
        assert_eq!(found[4].1, found[8].1);
    }
}
