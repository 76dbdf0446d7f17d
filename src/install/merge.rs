//! Takes what we wrote out of a text that somebody changed since, by lines: what they changed and what we changed are put together.
//! Whether that is right is for the caller to see; it knows nothing of what the text means.

use std::ops::Range;

use similar::{DiffOp, TextDiff};

/// Lines that are replaced, and by what.
struct Hunk<'t> {
    range: Range<usize>,
    lines: Vec<&'t str>,
}

/// Returns `theirs` with the way from `before` to `written` gone back; none where both touch the same lines.
pub(super) fn without(before: &str, written: &str, theirs: &str) -> Option<String> {
    let back = TextDiff::from_lines(written, before);
    let since = TextDiff::from_lines(written, theirs);
    let mut hunks = hunks(back.ops(), before);
    hunks.extend(self::hunks(since.ops(), theirs));
    hunks.sort_by_key(|hunk| (hunk.range.start, hunk.range.end));
    let lines: Vec<&str> = written.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut at = 0;
    for pair in hunks.windows(2) {
        let same_place = pair[0].range == pair[1].range;
        if pair[0].range.end > pair[1].range.start || same_place {
            return None;
        }
    }
    for hunk in hunks {
        lines.get(at..hunk.range.start)?.iter().for_each(|line| text.push_str(line));
        hunk.lines.iter().for_each(|line| text.push_str(line));
        at = hunk.range.end;
    }
    lines.get(at..)?.iter().for_each(|line| text.push_str(line));
    Some(text)
}

fn hunks<'t>(ops: &[DiffOp], new: &'t str) -> Vec<Hunk<'t>> {
    let lines: Vec<&str> = new.split_inclusive('\n').collect();
    let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed
        .map(|op| Hunk {
            range: op.old_range(),
            lines: lines.get(op.new_range()).unwrap_or_default().to_vec(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_changed_is_put_together() {
        let (before, written) = ("a\nb\nc\nd\n", "a\nb\nC\nX\nd\n");
        assert_eq!(without(before, written, written).as_deref(), Some(before));
        assert_eq!(
            without(before, written, "A\nb\nC\nX\nd\ne\n").as_deref(),
            Some("A\nb\nc\nd\ne\n")
        );
        assert_eq!(without(before, written, "a\nb\nC\nY\nd\n"), None);
        assert_eq!(without("", "x\n", "x\ny\n").as_deref(), Some("y\n"));
        assert_eq!(without("", "", "").as_deref(), Some(""));
    }
}
