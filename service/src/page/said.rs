//! What one record of a call says, in the person's language: by which door it came, and where a person was asked. In English it is what the
//! guard's `log` says.

use guarded_sh::audit::{AskedAt, DecidedBy, Door, Questioned, Record, words};
use guarded_sh::model::Proof;

use super::spoken::Spoken;

/// Returns by which door a record came.
pub fn door(record: &Record, language: Spoken) -> String {
    let (Door::Hook, Some(hook)) = (record.door, &record.hook) else {
        return language.0.meaning(&words::door(record)).into_owned();
    };
    let event = ("event", hook.event.as_str().into());
    match &hook.tool {
        Some(tool) => language.tell("call-hook-of", &[event, ("tool", tool.as_str().into())]),
        None => language.tell("call-hook", &[event]),
    }
}

/// Returns where a question was asked, and for how long it was open.
pub fn question(question: &Questioned, decided_by: DecidedBy, language: Spoken) -> String {
    let mut told = came(question, decided_by, language);
    if let Some(paused) = question.paused {
        let by = language.0.meaning(paused.by.words());
        told = language.tell("call-paused", &[("told", told.into()), ("by", by.into())]);
    }
    let came = ("came", told.into());
    match (question.at, &question.id) {
        (AskedAt::Terminal, _) => language.tell("call-asked-terminal", &[came]),
        (AskedAt::Host, None) => language.tell("call-asked-host", &[came]),
        (AskedAt::Host, Some(id)) => {
            language.tell("call-asked-question", &[("id", id.as_str().into()), came])
        }
    }
}

fn came(question: &Questioned, decided_by: DecidedBy, language: Spoken) -> String {
    let time = ("time", language.passed(question.waited).into());
    // That is where it was asked.
    let is_plain = |proof: &Proof| *proof == Proof::Terminal && question.at == AskedAt::Terminal;
    match (decided_by, question.proof.filter(|proof| !is_plain(proof))) {
        (DecidedBy::Nobody, _) => language.tell("call-no-answer", &[time]),
        (DecidedBy::Model, _) => language.tell("call-model-answered", &[time]),
        (_, Some(proof)) => {
            let proof = language.0.meaning(proof.words()).into();
            language.tell("call-answered-by", &[time, ("proof", proof)])
        }
        (_, None) => language.tell("call-answered", &[time]),
    }
}

#[cfg(test)]
mod tests {
    use guarded_sh::audit::NotedPause;
    use guarded_sh::language::Language;
    use guarded_sh::model::PausedBy;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn in_english_it_is_what_the_log_says() {
        let (id, waits) =
            (Some("q7".to_owned()), [0, 9_990, 10_000, 120_000, 7_200_000, 90_000_000]);
        let proofs = [None, Some(Proof::Terminal), Some(Proof::Key), Some(Proof::Token)];
        for waited in waits {
            assert_eq!(Spoken::ENGLISH.passed(waited), words::seconds(waited));
            for (at, id) in
                [(AskedAt::Terminal, &None), (AskedAt::Host, &None), (AskedAt::Host, &id)]
            {
                for proof in proofs {
                    let asked = Timestamp::UNIX_EPOCH;
                    let by = [None, Some(PausedBy::Terminal), Some(PausedBy::Tray)];
                    let paused = by[usize::from(waited > 0) + usize::from(proof.is_some())];
                    let paused = paused.map(|by| NotedPause { by, until: asked });
                    let one = Questioned { id: id.clone(), at, asked, waited, proof, paused };
                    for by in [DecidedBy::Nobody, DecidedBy::Model, DecidedBy::PersonOnce] {
                        let told = question(&one, by, Spoken::ENGLISH);
                        assert_eq!(told, words::question(&one, by));
                        let german = question(&one, by, Spoken(Language::German));
                        assert!(!german.contains("answer") && german != told, "{german}");
                    }
                }
            }
        }
    }
}
