//! Words that are all known.

use super::hold;

#[test]
fn gnu_options_are_grouped_attached_and_abbreviated() {
    hold(&[
        ("sort", ""),
        ("sort -b a b", "-b read(a) read(b)"),
        ("sort a -b b", "-b read(a) read(b)"),
        ("sort -bik1 a", "-b -i -k=1 read(a)"),
        ("sort -bk 1 a", "-b -k=1 read(a)"),
        ("sort -k -b a", "-k=-b read(a)"),
        ("sort -of a", "-o=f write(f) read(a)"),
        ("sort -o f a", "-o=f write(f) read(a)"),
        ("sort --output=f a", "-o=f write(f) read(a)"),
        ("sort --output f a", "-o=f write(f) read(a)"),
        ("sort --output= a", "-o= write() read(a)"),
        ("sort --out=f a", "-o=f write(f) read(a)"),
        ("sort --o f", "-o=f write(f)"),
        ("sort --comp x a", "--compress-program=x read(a) program(x)"),
        ("sort --ignore-l a", "-b read(a)"),
        ("sort --ignore a", "read(a) ?Option@1"),
        // There may be an option of that name.
        ("sort --compress x a", "--compress-program=x read(a) program(x) ?Option@1"),
        ("sort --co a", "read(a) ?Option@1"),
        ("sort --color a", "--color read(a)"),
        ("sort --color=auto a", "--color=auto read(a)"),
        ("sort --colo=auto", "?Option@1"),
        ("sort --nothing a", "read(a) ?Option@1"),
        ("sort -bZi a", "-b read(a) ?Option@1"),
        ("sort -- -o f", "read(-o) read(f)"),
        ("sort - a", "read(a)"),
        ("sort '' a", "read() read(a)"),
        ("sort --some-id 3 --x-id=4", "--*-id=3 --*-id=4"),
        ("sort -k", "-k ?Value@1"),
        ("sort -b=1", "-b ?Option@1"),
        ("sort --ignore-leading-blanks=yes a", "-b=yes read(a)"),
        ("sort --ignore-leading-blanks=3 a", "-b=3 read(a) ?Value@1"),
        // To getopt the file is called `=f`, to others `f`.
        ("sort -o=f", "-o==f write(=f) ?Value@1"),
        ("sort -k=f", "-k==f"),
        ("gsort a", "read(a)"),
        ("sort-9.1 a", "read(a)"),
        ("sorts a", "?Program@"),
    ]);
}

#[test]
fn exact_long_options_are_not_abbreviated() {
    hold(&[
        ("cc --dir d a.c", "--dir=d list(d) read(a.c) build() enters(d)"),
        ("cc --di d a.c", "read(d) read(a.c) build() ?Option@1"),
        ("cc -o=x a.c", "-o=x write(x) read(a.c) build()"),
    ]);
}

#[test]
fn one_dash_words_are_tried_whole_before_they_are_groups() {
    hold(&[
        ("cc -c -ofile a.c", "-W* -o=file write(file) read(a.c) build()"),
        ("cc -std=c11 -Wall -Wno-x=3", "-std=c11 -W* -W* build()"),
        ("cc -Iinclude -I include", "-I*=include -I*=include list(include) list(include) build()"),
        ("cc -isystem /x", "-I*=/x list(/x) build()"),
        ("cc -isystem=/x", "-I*=/x list(/x) build()"),
        ("cc -fx", "build() ?Option@1"),
        ("date +%F", "+*"),
        ("dig @h x", "@*=h connect(h) connect(x)"),
        ("checkout -fq a", "-f -q"),
        ("checkout --qui -- a -f", "-q -- write(a) write(-f) lose-work()"),
        ("date -Iseconds", "-d=seconds"),
        ("date today", ""),
        ("date today tomorrow", "?Operand@2"),
    ]);
}

#[test]
fn numbers_are_options_where_a_family_says_so() {
    hold(&[
        ("grep -5 x f", "-NUM read(f)"),
        ("grep -5n x f", "read(f) ?Option@1"),
        ("head -20 f", "-n=20 read(f)"),
        ("head +20 f", "-n=20 read(f)"),
        ("head -n 5 f", "-n=5 read(f)"),
        ("head -- -20", "read(-20)"),
        ("sort -20 f", "read(f) ?Option@1"),
        ("head -NUM f", "read(f) ?Option@1"),
        ("sort +20", "read(+20)"),
    ]);
}

#[test]
fn options_replace_and_fill_operands() {
    hold(&[
        ("rm a", "delete(a)"),
        ("rm a -rf b", "-r -f delete-tree(a) delete-tree(b)"),
        ("rm --recursive=false a", "-r=false delete(a)"),
        ("grep x f g", "read(f) read(g)"),
        ("grep -e x f g", "-e=x read(f) read(g)"),
        ("grep -e x -f p -e y f", "-e=x -f=p -e=y read(p) read(f)"),
        ("grep f -e x", "-e=x read(f)"),
        ("cp a b c", "read(a) read(b) write(c)"),
        ("cp -t d a b", "-t=d write(d) read(a) read(b)"),
        ("cp c", "write(c)"),
        ("three x a b c d", "read(a) read(b) write(c) append(d)"),
        ("three x c d", "write(c) append(d)"),
        ("sed s/a/b/ f", "read(f) Sed-code(s/a/b/)"),
        ("sed -i s/a/b/ f", "-i write(f) Sed-code(s/a/b/)"),
        ("sed -ni.bak -e x f", "-n -i=.bak -e=x write(f) Sed-code(x)"),
        ("sort --help -o x a", "--help -o=x write(x)"),
        ("true a", "?Operand@1"),
        ("true", ""),
        ("echo -n -- --help", ""),
    ]);
}

#[test]
fn the_first_word_of_a_bundle_needs_no_dash() {
    hold(&[
        ("tar xzf a.tgz b", "-x -z -f=a.tgz write(a.tgz) write(b)"),
        ("tar xfz a.tgz", "-x -f=a.tgz -z write(a.tgz)"),
        ("tar -xfz a.tgz", "-x -f=z write(z) write(a.tgz)"),
        ("tar uf a.tar b", "u -f=a.tar write(a.tar)"),
        ("tar -u x -f a.tar", "-u=x -f=a.tar write(a.tar)"),
        ("tar cKf a.tar b", "-c -f=a.tar write(a.tar) read(b) ?Option@1"),
        ("tar cf - b", "-c -f=- read(b)"),
        ("tar xf a.tar --to-com=x", "-x -f=a.tar --to-command=x write(a.tar) shell(x)"),
        ("tar 123", ""),
        ("tar x u", "-x write(u)"),
    ]);
}

#[test]
fn single_dash_options_are_long_and_ungrouped() {
    hold(&[
        ("find . -name x", "-name=x list(.)"),
        ("find . ( ! -name x )", "( ! -name=x ( list(.)"),
        ("find a b -delete", "-delete delete-tree(a) delete-tree(b)"),
        ("find . -newermt x", "-newer*=mt list(mt) list(.) list(x)"),
        ("find -O3 .", "-O* list(.)"),
        ("find . -fprintf out %p", "-fprintf=%p write(out) list(.)"),
        ("find . -fprintf out", "-fprintf write(out) list(.) ?Value@2"),
        ("find . -nam x", "list(.) list(x) ?Option@2"),
        (
            "deploy apply -var a=b -var=c=d --var e",
            "apply: -var=a=b -var=c=d -var=e cloud-change()",
        ),
        ("deploy apply --var-file=f", "apply: -var-file=f read(f) cloud-change()"),
        ("deploy apply -dry-run", "apply: -dry-run cloud-read()"),
        ("deploy apply -dry-run=true", "apply: -dry-run=true cloud-read()"),
        ("deploy apply -dry-run=false", "apply: -dry-run=false cloud-change()"),
        ("deploy apply -dry-run=maybe", "apply: -dry-run=maybe cloud-change() ?Value@2"),
    ]);
}

#[test]
fn commands_are_carried_up_to_their_end() {
    hold(&[
        ("find . -exec rm -rf {} ; -name x", "-exec -name=x list(.) argv[3..6]{}"),
        ("find . -exec rm {} + -name x", "-exec -name=x list(.) argv[3..5]{}"),
        ("find . -exec echo + {} ;", "-exec list(.) argv[3..6]{}"),
        ("find . -exec a ; -ok b {} ;", "-exec -exec list(.) argv[3..4]{} argv[6..8]{}"),
        ("find . -exec a b", "-exec list(.) argv[3..5]{} ?Value@2"),
        ("find . -exec", "-exec list(.) ?Value@2"),
        ("env", "disclose()"),
        ("env -i", "-i disclose()"),
        ("env A=b", "disclose() set(A=b)"),
        ("env A=b C= rm -rf x", "argv[3..6] set(A=b) set(C=)"),
        ("env - -u X -C d rm -u", "-i -u=X -C=d list(d) enters(d) argv[6..8]"),
        ("env =x", ""),
        ("timeout -k 3 5 rm -v", "-k=3 argv[4..6]"),
        ("timeout 5", ""),
        ("timeout 5 -v x", "argv[2..4]"),
        ("xargs -0n 1 rm -f", "-0 -n=1 argv[3..5]+"),
        ("xargs", "argv[1..1]+"),
        ("xargs -0", "-0 argv[2..2]+"),
        ("term -T t -e rm -rf x", "-T=t -e argv[4..7]"),
        ("term -erm", "-e=rm ?Value@1"),
        ("eval rm -rf x", "shell(rm -rf x)"),
        ("ssh h", "remote(h)"),
        ("ssh h -p 22 rm -rf x", "-p=22 remote(h) remote-shell(rm -rf x)"),
        ("ssh -J j h -- ls", "-J=j connect(j) remote(h) remote-shell(ls)"),
    ]);
}

#[test]
fn code_and_scripts_are_carried() {
    hold(&[
        ("bash", "Shell-input"),
        ("bash -x", "-x Shell-input"),
        ("bash -", "Shell-script(-)"),
        ("bash --version", "--version"),
        ("bash -xc ls a b", "-x -c shell(ls)"),
        ("bash --norc -c ls", "--norc -c shell(ls)"),
        ("bash f.sh -c x", "Shell-script(f.sh)"),
        ("bash /dev/stdin x", "Shell-script(/dev/stdin)"),
        ("bash -s -- a", "-s Shell-input"),
        ("python -c x -u -Z", "-c=x Python-code(x)"),
        ("python -u -m pytest --cov -k x", "-u -m=pytest build()"),
        ("python f.py -c x", "Python-script(f.py)"),
        ("python", "Python-input"),
    ]);
}

#[test]
fn subcommands_nest_and_have_other_names() {
    hold(&[
        ("git", ""),
        ("git -C d --no-pager st -q", "status: -C=d --no-pager -q list(d) enters(d)"),
        ("git -q status", "status: -q"),
        ("git describe a", "describe:"),
        ("git status --no-pager", "status: ?Option@2"),
        ("git status --qui a", "status: -q"),
        ("git push origin -f", "push: -f publish()"),
        ("git push --forc", "push: publish() ?Option@2"),
        ("git push -n --force-with-lease=x", "push: -n --force-with-lease=x connect()"),
        ("git remote", "remote: list()"),
        ("git remote -q add -q a b", "remote: add: -q -q configure()"),
        ("git remote new a b", "remote: add: configure()"),
        ("git remote new a b c", "remote: add: configure() ?Operand@5"),
        ("git remote describe-x", "remote: describe-x: list()"),
        ("git remote other", "remote: other: unknown()"),
        ("git frob --hard a", "?Subcommand@1"),
        ("git -- status", "status: ?Option@1"),
        ("run list", "list: list()"),
        ("run tool", "execute(tool)"),
        ("run", ""),
        ("deploy", ""),
    ]);
}

#[test]
fn values_have_roles_of_their_own() {
    hold(&[
        ("ssh -o BatchMode=yes h", "-o=BatchMode=yes remote(h)"),
        ("ssh -o ProxyCommand=x h", "-o=ProxyCommand=x remote(h) ?Value@2"),
        ("ssh -oPort=22 h", "-o=Port=22 remote(h)"),
        ("get -d @/dev/null u", "-d=@/dev/null send(@/dev/null) fetch(u) fetch()"),
        ("get -d x u", "-d=x fetch(u) fetch()"),
        ("get -O - u", "-O=- fetch(u) fetch()"),
        ("get -O f u", "-O=f write(f) fetch(u) fetch()"),
        ("get --dry u", "--dry fetch(u) list() decode()"),
        ("get -e A=b -e HOME u", "-e=A=b -e=HOME fetch(u) fetch() set(A=b)"),
        ("mkdir a b", "write(a) write(b)"),
        ("dd if=a of=b convert=x", "read(a) write(b)"),
        ("dd if=a seek=3", "read(a) ?Operand@2"),
        ("dd if=a of", "read(a) ?Operand@2"),
        ("json --arg a b .x f", "--arg=b read(f)"),
        ("json --file a f .x", "--file=f read(f)"),
        ("json --file=a f .x", "--file=f read(f)"),
        ("json --arg a", "--arg ?Value@1"),
    ]);
}

#[test]
fn an_address_that_is_opened_is_no_file() {
    hold(&[
        ("opener a ./b", "execute(a) execute(./b)"),
        ("opener http://a HTTPS://b", "fetch(http://a) fetch(HTTPS://b)"),
        ("opener file:///a/b FILE://host/c", "execute(/a/b) execute(/c)"),
        ("opener mailto:a@b x-app://c", "?Foreign@1 ?Foreign@2"),
        ("opener C:/a a/b:c", "execute(C:/a) execute(a/b:c)"),
    ]);
}
