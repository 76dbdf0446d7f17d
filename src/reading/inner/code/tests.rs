use super::*;
use crate::model::{Arg, EffectKind};
use crate::reading::inner::NoModules;

fn found(language: Language, text: &str) -> Found {
    read(text, language, Some("/home/dev"), &mut NoModules)
        .unwrap_or(Found { unread: true, ..Found::default() })
}

fn known(text: &str) -> Arg {
    Arg::Known(text.to_owned())
}

/// A line for each number, which stands for `#`, and the next for `%`.
fn lines(count: usize, line: &str) -> String {
    let lines =
        (0..count).map(|at| line.replace('#', &at.to_string()).replace('%', &(at + 1).to_string()));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_sheets_are_read() {
    let sheets = [
        ("python", include_str!("../../../../rules/inner/python.toml")),
        ("javascript", include_str!("../../../../rules/inner/javascript.toml")),
        ("ruby", include_str!("../../../../rules/inner/ruby.toml")),
        ("php", include_str!("../../../../rules/inner/php.toml")),
        ("perl", include_str!("../../../../rules/inner/perl.toml")),
    ];
    for (name, text) in sheets {
        assert_eq!(Table::read(text).err(), None, "{name}");
    }
}

#[test]
fn a_sheet_with_a_fault_is_not_read() {
    for sheet in [
        "[names]\n'a' = 'deletes 0'",
        "[names]\n'a' = 'delete x'",
        "[names]\n'a a' = 'nothing'",
        "[names]\n'a' = 'gives text sideways 0'",
        "[name]\n'a' = 'nothing'",
    ] {
        assert!(Table::read(sheet).is_err(), "{sheet}");
    }
}

#[test]
fn targets_follow_from_the_text() {
    use EffectKind::{Append, Delete, DeleteTree, Move, Read, Write};
    for (program, (kind, target)) in [
        ("open('a')", (Read, known("a"))),
        ("open('a', 'wb')", (Write, known("a"))),
        ("open('a', mode='a')", (Append, known("a"))),
        ("x = 'a'\nopen(x + '/b', 'x')", (Write, known("a/b"))),
        ("x = 'a'\nx = 'b'\nopen(x)", (Read, Arg::Unknown)),
        ("x = 'a'\nopen(f'{x}/{y}')\ny = f()", (Read, Arg::Prefix("a/".to_owned()))),
        ("for x in ['a']: open(x)", (Read, known("a"))),
        ("import os\nos.remove(os.path.join('a', 'b'))", (Delete, known("a/b"))),
        ("import os\nos.remove(os.path.expanduser('~/b'))", (Delete, known("/home/dev/b"))),
        ("import os\nos.remove(os.environ['HOME'] + '/b')", (Delete, known("/home/dev/b"))),
        ("import os.path, os as o\no.unlink('b')", (Delete, known("b"))),
        ("from os import unlink as u\nu('b')", (Delete, known("b"))),
        ("import pathlib\n(pathlib.Path('a') / 'b').unlink()", (Delete, known("a/b"))),
        ("from pathlib import Path\nPath.home().write_text('')", (Write, known("/home/dev"))),
        ("import shutil\nshutil.rmtree(path='a')", (DeleteTree, known("a"))),
        ("import os\nos.rename('a', 'b')", (Move, known("a"))),
        (
            "import os\nfor f in os.listdir('a'): os.remove(os.path.join('a', f))",
            (Delete, Arg::Glob("a/*".to_owned())),
        ),
        ("open(*x, 'w')\nx = []", (Read, Arg::Unknown)),
    ] {
        let found = found(Language::Python, program);
        assert!(found.effects.contains(&(kind, Some(target))), "{program}: {found:?}");
    }
}

#[test]
fn commands_are_handed_back() {
    for (program, command) in [
        ("import os\nos.system('ls')", Some("ls")),
        ("import subprocess\nsubprocess.run('ls | wc', shell=True)", Some("ls | wc")),
        ("import subprocess\nsubprocess.run('ls', shell=x)\nx = 1", None),
        ("import os\nos.system(f())\ndef f(): pass", None),
        ("eval('1')", None),
    ] {
        let found = found(Language::Python, program);
        assert_eq!(found.commands, [command.map(str::to_owned)], "{program}");
    }
    let found = found(Language::Python, "import subprocess\nsubprocess.run(['ls', '-l', x])\nx=f");
    let words = vec![Arg::Known("ls".to_owned()), Arg::Known("-l".to_owned()), Arg::Many];
    assert_eq!(found.argvs, [words]);
}

#[test]
fn what_hides_is_not_taken_for_harmless() {
    for program in [
        "import os\nx = [os]\nx[0].remove('a')",
        "import os\ndef f(): return os\nf().remove('a')",
        "import os\n(lambda m: m.remove('a'))(os)",
        "import os\nimport json as os\nos.remove('a')",
        "import os\nos.remove = 1",
        "class A:\n    f_globals = 1\nx.f_globals",
        "x.__globals__\nx = 1",
        "class A:\n    __globals__ = 1\nA().__globals__['os']",
        "def f(): open = 1\nopen('a')",
        "unheard_of('a')",
        "import json\njson.unheard_of('a')",
        "'a'.unheard_of()",
        "import sys\nx = [sys.path]",
    ] {
        let found = found(Language::Python, program);
        assert!(found.unread, "{program}: {found:?}");
    }
}

#[test]
fn names_of_names_are_followed_or_not_read() {
    let mut chain: Vec<String> = (0..80).map(|at| format!("a{} = a{at}", at + 1)).collect();
    let delete = (EffectKind::Delete, Some(known("x")));
    let program = format!("import os\na0 = os\n{}\na80.remove('x')", chain.join("\n"));
    assert!(found(Language::Python, &program).effects.contains(&delete));
    chain.reverse();
    let program = format!("a80.remove('x')\n{}\na0 = os\nimport os", chain.join("\n"));
    assert!(found(Language::Python, &program).unread);
}

#[test]
fn text_does_not_grow_without_end() {
    let doubled = lines(60, "a% = a# + a#");
    let _ = found(Language::Python, &format!("a0 = 'aaaaaaaa'\n{doubled}open(a30)"));
    let lists = lines(60, "a% = [a#, a#]");
    let _ = found(Language::Python, &format!("a0 = ['a']\n{lists}open(a30)"));
}

#[test]
fn only_known_functions_are_called_where_members_are_computed() {
    for program in [
        "const f = g => g('x')",
        "const o = {}; const f = o['a' + 'b']; f('x')",
        "const o = {}; const f = o['a' + 'b']; ['x'].map(f)",
        "const x = []; const o = {run: x[y]}; const y = 'a'; o.run('x')",
        "eval('x')",
    ] {
        let found = found(Language::JavaScript, program);
        assert!(found.commands.contains(&None), "{program}: {found:?}");
    }
    for program in [
        "const f = x => x; f('x'); ['x'].map(f)",
        "const o = {run: x => x}; o.run('x')",
        "function f() {} f(); new f()",
        "new Promise((good, bad) => { good(1); bad(2) })",
        "const n = {}; n['a' + 'b'] = 1 + 2",
    ] {
        assert_eq!(found(Language::JavaScript, program), Found::default(), "{program}");
    }
}

#[test]
fn paths_of_javascript_are_joined_below_the_first() {
    let program =
        "fs.unlinkSync(path.join('/a', '/b', 'c')); fs.unlinkSync(path.resolve('/a', '/b'))";
    let delete = |path: &str| (EffectKind::Delete, Some(known(path)));
    let found = found(Language::JavaScript, program);
    assert_eq!(found.effects, [delete("/a/b/c"), delete("/b")]);
}

#[test]
fn text_that_may_be_changed_where_it_is_is_not_known() {
    for (language, program, command) in [
        (Language::Ruby, "x = 'ls'\nsystem(x)", Some("ls")),
        (Language::Ruby, "x = 'ls'\nputs x\nsystem(x)", Some("ls")),
        (Language::Ruby, "x = 'ls'\nx << ' -l'\nsystem(x)", None),
        (Language::Ruby, "x = 'ls'\ny = x\ny << ' -l'\nsystem(x)", None),
        (Language::Ruby, "def f(s) s << ' -l' end\nx = 'ls'\nf(x)\nsystem(x)", None),
        (Language::Php, "$x = 'ls'; echo strlen($x); system($x);", Some("ls")),
        (Language::Php, "$x = 'ls'; $x[0] = 'r'; system($x);", None),
    ] {
        let found = found(language, program);
        assert_eq!(found.commands, [command.map(str::to_owned)], "{program}");
    }
}

#[test]
fn a_program_of_perl_is_harmless_by_its_words_alone() {
    for program in [
        "print 1",
        "s/^\\s*foo.*bar$//; print",
        "$h{$_}++ for split",
        "print if $a && $b",
        "sub f { return 1 } print f(2)",
    ] {
        assert!(!found(Language::Perl, program).unread, "{program}");
    }
    for program in [
        "print 'system'",
        "print 1 # fork",
        "print time /1;#/; unlink 'x'",
        "*x = 'AR' . 'GV'; @x = ('id |'); print <>",
        "local * x = 'a'",
        "@$x = 1",
        "@ { $x } = 1",
        "$x->[0] = 1",
        "& $x",
        "&f",
        "s/a/b/ee",
        "/(?{ 1 })/",
        "$main::{x}",
        "$^I = ''",
        "\"${\\ f()}\"",
    ] {
        assert!(found(Language::Perl, program).unread, "{program}");
    }
}
