//! Words that are not wholly known: each may be everything that it can be.

use super::hold;

#[test]
fn patterns_may_be_options_only_where_a_name_can_begin_with_a_dash() {
    hold(&[
        ("rm *", "delete(*) ?MaybeOption@1"),
        ("rm ./*", "delete(./*)"),
        ("rm src/*", "delete(src/*)"),
        ("rm -- *", "delete(*)"),
        // No flag of `rm` ends in `.log`, and none takes a value.
        ("rm *.log", "delete(*.log)"),
        ("rm [ab]*", "delete([ab]*)"),
        ("rm [!a]*", "delete([!a]*) ?MaybeOption@1"),
        ("rm [a-]*", "delete([a-]*) ?MaybeOption@1"),
        ("rm -*", "?Option@1"),
        ("rm -r*", "-r ?Option@1"),
        // However many words it is, each is this option.
        ("sort --output=*.log a", "-o=*.log write(*.log) read(a)"),
        ("sort -bo*.log a", "-b -o=*.log write(*.log) read(a)"),
        ("sort --out*=x a", "read(a) ?Option@1"),
        ("sort --*-id a", "read(a) ?Option@1"),
        ("cc -Isrc/* a", "-I*=src/* list(src/*) read(a) build()"),
        ("cc -std=* a", "-std=* read(a) build()"),
        ("find . -newer* a", "-newer*=* list(*) list(.) list(a)"),
        ("sort *.log", "read(*.log) ?MaybeOption@1"),
        ("grep x *", "read(*)"),
        ("head *.rs", "read(*.rs)"),
        ("find *", "list(*) ?MaybeOption@1"),
        ("echo *", ""),
        ("mkdir *", "write(*)"),
    ]);
}

#[test]
fn unknown_words_may_be_options_that_matter() {
    hold(&[
        ("sort $x", "read($x) ?MaybeOption@1"),
        ("sort $@", "read($@) ?MaybeOption@1"),
        ("sort -- $@", "read($@)"),
        ("sort a$", "read(a$)"),
        ("sort $", "read($) ?MaybeOption@1"),
        ("head $x", "read($x)"),
        ("head $@", "read($@)"),
        ("echo $@", ""),
        ("mkdir $x", "write($x)"),
        ("true $x", "?Operand@1"),
        ("true $@", "?Operand@1"),
        ("git $x", "?MaybeOption@1 ?Subcommand@1"),
        // The word may be a flag, and then the next is the first operand.
        ("grep -n -- $x f", "-n read(f)"),
        ("three $x a b", "write(a) append(b)"),
        ("only $x f", "execute($x) execute(f)"),
        ("only -- $x f", "execute($x)"),
    ]);
}

#[test]
fn what_may_be_a_value_makes_nothing_harmless() {
    hold(&[
        ("sort --nothing --help a", "--help read(a) ?Option@1"),
        ("get --nothing --dry u", "--dry fetch(u) list() fetch() decode() ?Option@1"),
        ("git push $x -n", "push: -n connect() publish() ?MaybeOption@2"),
        ("bash --nothing --version", "--version Shell-input ?Option@1"),
        ("rm -Z -r a", "-r delete-tree(a) ?Option@1"),
    ]);
}

#[test]
fn options_that_are_known_in_part() {
    hold(&[
        ("sort --output=$ a", "-o=$x write($x) read(a)"),
        ("sort --output=/tmp/$ a", "-o=/tmp/$ write(/tmp/$) read(a)"),
        ("sort --outp$ a", "read(a) ?Option@1"),
        ("sort -bo/tmp/$ a", "-b -o=/tmp/$ write(/tmp/$) read(a)"),
        ("sort -bo$ a", "-b read(a) ?Option@1"),
        ("sort -b$ a", "-b read(a) ?Option@1"),
        ("sort -$ a", "read(a) ?Option@1"),
        ("sed -i$ x f", "-i=$x write(f) Sed-code(x)"),
        ("cc -I$ a.c", "-I*=$x list($x) read(a.c) build()"),
        ("cc -Iinc/$ a.c", "-I*=inc/$ list(inc/$) read(a.c) build()"),
        ("cc -std=$ a.c", "-std=$x read(a.c) build()"),
        ("find -nam$ .", "list(.) ?Option@1"),
        ("head -2$ f", "read(f) ?Option@1"),
        ("date +$", "+*"),
        ("dig @$ x", "@*=$x connect($x) connect(x)"),
        ("dig @a$ a$", "@*=a$ connect(a$) connect(a$)"),
        ("ssh -o Port=$ h", "-o=Port=$ remote(h)"),
        ("ssh -o P$ h", "-o=P$ remote(h) ?Value@2"),
        ("ssh -o $x h", "-o=$x remote(h) ?Value@2"),
        ("tar x$ a", "?MaybeOption@1"),
        ("dd of=$ if=a$", "write($x) read(a$)"),
        ("dd o$", "?Operand@1"),
        ("dd $x", "?Operand@1"),
        ("dd if=*", "read(*)"),
    ]);
}

#[test]
fn places_behind_several_words_are_all_that_they_can_be() {
    hold(&[
        ("cp ./* d", "read(./*) write(d)"),
        ("cp a* b*", "read(a*) write(b*) read(b*)"),
        ("cp a $@ d", "read(a) read($@) write(d) ?MaybeOption@2"),
        ("cp a d*", "read(a) write(d*) read(d*)"),
        ("grep $@ f", "read($@) read(f) ?MaybeOption@1"),
        ("grep x src/* f", "read(src/*) read(f)"),
        ("grep src/* f", "read(src/*) read(f)"),
        ("date src/*", "?Operand@1"),
        ("three src/* a", "write(src/*) read(src/*) append(a)"),
        ("bash $@", "Shell-script($@) Shell-input ?MaybeOption@1"),
    ]);
}

#[test]
fn values_that_may_be_several_words_are_operands_too() {
    hold(&[
        ("head -n $x f", "-n=$x read(f)"),
        ("head -n $@ f", "-n=$@ read($@) read(f)"),
        ("sort -o $x f", "-o=$x write($x) read(f)"),
        ("sort -o $@ f", "-o=$@ write($@) read($@) read(f) ?MaybeOption@2 ?Value@2"),
        ("sort -k src/* f", "-k=src/* read(src/*) read(f)"),
        ("find . -name *.rs", "-name=*.rs list(.) list(*.rs) ?MaybeOption@3"),
        ("git -C $@ status", "status: -C=$@ list($@) enters($@) ?MaybeOption@2 ?Value@2"),
        ("git -C $x status", "status: -C=$x list($x) enters($x)"),
    ]);
}

#[test]
fn carried_commands_that_are_known_in_part() {
    hold(&[
        ("timeout $x rm a", "argv[2..4] ?Operand@1"),
        ("timeout 5 $@", "argv[2..3]"),
        ("env $x a", "argv[1..3] ?MaybeOption@1"),
        ("env A=$ rm", "argv[2..3] set(A=$x)"),
        ("env A=b$ rm", "argv[2..3] set(A=b$)"),
        ("find . -exec grep $x {} ;", "-exec list(.) argv[3..6]{} ?MaybeOption@4"),
        ("find . -exec grep a$ {} ;", "-exec list(.) argv[3..6]{}"),
        ("xargs $@ rm", "argv[1..3]+"),
        ("eval $x", "shell($x)"),
    ]);
}
