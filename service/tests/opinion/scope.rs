//! The suite of scope: pairs of lines about one task, of which one stays within what the person asked for and one is wider. An owner measures a model with
//! it; here the measure is measured, by models that say what a test wants.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{Asked, Place, Provider, answer, text};

const SUITE: &str = include_str!("../../scope.jsonl");

fn rows() -> Vec<Value> {
    SUITE.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn field<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap()
}

#[test]
fn there_are_pairs_that_differ_in_the_line_alone() {
    let rows = rows();
    let mut pairs: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for row in &rows {
        pairs.entry(row["pair"].as_u64().unwrap()).or_default().push(row);
    }
    assert!(pairs.len() >= 300, "{}", pairs.len());
    for (pair, rows) in &pairs {
        let [within, wider] = rows.as_slice() else { panic!("{pair}") };
        assert_eq!((field(within, "label"), field(wider, "label")), ("within", "wider"), "{pair}");
        assert_eq!(within["prompts"], wider["prompts"], "{pair}");
        assert_eq!(within["dimension"], wider["dimension"], "{pair}");
        assert_ne!(within["line"], wider["line"], "{pair}");
    }
    // One task and line is asked about once, and no line is both.
    let asked = rows.iter().map(|row| (row["prompts"].to_string(), field(row, "line")));
    assert_eq!(asked.collect::<BTreeSet<_>>().len(), rows.len());
    let dimensions: BTreeSet<&str> = rows.iter().map(|row| field(row, "dimension")).collect();
    assert_eq!(dimensions, BTreeSet::from(["authorisation", "blast", "target", "task"]));
}

/// A model that gives the verdict which this says of a task and a line, and quotes the task.
fn model(verdict: impl Fn(&str, &str) -> &'static str + Send + Sync + 'static) -> Provider {
    Provider::with(move |asked: &Asked, stream| {
        let told = asked.body["messages"][0]["content"].as_str().unwrap();
        let between = |mark: &str| {
            let (_, rest) = told.split_once(mark).unwrap();
            let (_, rest) = rest.split_once('\n').unwrap();
            rest.split_once("\n«").unwrap().0
        };
        let task = between("the person's own words, oldest first»");
        let line = between("what it wants to do»");
        let opinion = json!({
            "verdict": verdict(task, line), "safetyScore": 90, "category": "work", "confidence": 95,
            "uncertain": false, "quotation": task, "reasoning": "",
        });
        let used = json!({"type": "tool_use", "id": "t1", "name": "opinion", "input": opinion});
        let usage = json!({"input_tokens": 1000, "output_tokens": 50});
        answer(
            stream,
            &json!({"type": "message", "role": "assistant", "content": [used], "usage": usage}),
        );
    })
}

/// What is told of a suite with this model.
fn measured(provider: &Provider, suite: &str) -> String {
    let settings = provider.settings("decide");
    let place = Place::with(&format!("{settings}input_price = 1.0\noutput_price = 5.0\n"));
    place.write("scope.jsonl", suite);
    let file = place.path("scope.jsonl").display().to_string();
    let output = place.guard(&["judge", "eval", "--runs", "1", &file]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    text(&output)
}

/// The number before this word in a line of what is told.
fn number(said: &str, line: &str, word: &str) -> u64 {
    let line = said.lines().find(|told| told.starts_with(line)).unwrap_or_else(|| panic!("{said}"));
    let before = line.split(word).next().unwrap();
    before.split_whitespace().last().unwrap().parse().unwrap_or_else(|_| panic!("{line}"))
}

#[test]
fn a_model_that_knows_the_labels_is_right_about_all_and_wrong_about_none() {
    let labels: BTreeMap<String, &str> = rows()
        .iter()
        .map(|row| {
            let label = if field(row, "label") == "within" { "within" } else { "wider" };
            (format!("{}\n{}", row["prompts"][0].as_str().unwrap(), field(row, "line")), label)
        })
        .collect();
    let provider =
        model(move |task, line| labels.get(&format!("{task}\n{line}")).unwrap_or(&"unclear"));
    let said = measured(&provider, SUITE);
    assert_eq!(number(&said, "allowed wrongly", " of"), 0, "{said}");
    assert!(number(&said, "questions spared", " of") > 15, "{said}");
    let asked = provider.asked().len() as u64;
    assert!(asked > 500, "{said}");
    assert_eq!(number(&said, "answers", " judged"), asked, "{said}");
    assert_eq!(number(&said, "cost", " calls"), asked, "{said}");
    assert_eq!(number(&said, "cost", " tokens"), asked * 1050, "{said}");
    for dimension in ["authorisation", "blast", "target", "task"] {
        let line = said.lines().find(|told| told.contains(&format!("verdicts, {dimension}")));
        let words: Vec<&str> = line.unwrap().split_whitespace().collect();
        assert_eq!(words[2], words[4], "{said}");
    }
    let pairs = said.lines().find(|told| told.starts_with("pairs, both right")).unwrap();
    let words: Vec<&str> = pairs.split_whitespace().collect();
    assert_eq!(words[3], words[5], "{said}");
}

/// The worst model there is lets through no more than what rules find of medium severity and no rule wants a person for.
#[test]
fn a_model_that_finds_all_within_lets_nothing_severe_through() {
    let suite: Vec<&str> = SUITE.lines().take(160).collect();
    let said = measured(&model(|_, _| "within"), &suite.join("\n"));
    assert!(number(&said, "allowed wrongly", " of") > 0, "{said}");
    let place = Place::with("");
    for line in said.lines().filter_map(|line| line.strip_prefix("wrong: ")) {
        let output = place.guard(&["check", "--json", line]).output().unwrap();
        let judged: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(judged["severity"], "medium", "{line}: {judged}");
    }
}
