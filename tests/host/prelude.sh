# The words in which scenes are told. A scene is run by bash in namespaces of its own, as a user who is not root where that can be.
# shellcheck shell=bash disable=SC2034
set -u
cd "$PLACE/work" || exit 1
mkdir -p .git
mkfifo "$PLACE/service"

# Starts the user's own host, and waits until it listens.
serve() {
  "$GUARD" serve >"$PLACE/service" &
  SERVE=$!
  exec {QUESTIONS}<"$PLACE/service"
  local line
  read -r line <&"$QUESTIONS"
  [[ $line == listens* ]] || echo "it said: $line"
}

# Waits for the next question. Its id is in ID.
asked() {
  local rest
  read -r ID rest <&"$QUESTIONS"
  read -r rest <&"$QUESTIONS"
}

# A person puts another line in the place of the one of the question.
edit() {
  local line=${1//\"/\\\"}
  talk_at_terminal "$DESK" "{\"type\":\"hello\",\"secret\":\"$(secret)\"}" "{\"type\":\"answer\",\"id\":\"$ID\",\"answer\":{\"answer\":\"edit\",\"line\":\"$line\"}}" | grep -c taken
}

# Runs a line as an agent's program would, with no terminal; what it says goes to a file of its number.
start() {
  "$GUARD" -c "$2" >"$PLACE/said.$1" 2>&1 </dev/null &
  CLIENT=$!
}

# Waits for its end, and prints what it said and its status.
ended() {
  wait "$CLIENT"
  local status=$?
  sed "s/${ID:-none}/ID/g" "$PLACE/said.$1"
  echo "status $status"
}

# A line that is run to its end.
line() {
  "$GUARD" -c "$1" </dev/null 2>&1 | sed "s/${ID:-none}/ID/g"
  echo "status ${PIPESTATUS[0]}"
}

# What a person calls at a terminal of their own.
person() {
  script -qec "$(printf '%q ' "$GUARD" "$@")" /dev/null </dev/null | tr -d '\r' | sed "s/${ID:-none}/ID/g"
  echo "status ${PIPESTATUS[0]}"
}

# The same, who types a word when asked for it.
types() {
  local word=$1 seen='' letter
  shift
  coproc TERMINAL { script -qec "$(printf '%q ' "$GUARD" "$@")" /dev/null; }
  local terminal=$TERMINAL_PID in=${TERMINAL[0]} out=${TERMINAL[1]}
  exec {in}<&"$in" {out}>&"$out"
  while IFS= read -r -d '' -n 1 letter <&"$in"; do
    seen+=$letter
    [[ $seen == *'leave it: ' ]] && break
  done
  echo "$word" >&"$out"
  cat <&"$in" >/dev/null
  wait "$terminal"
  echo "status $?"
}

# Serves a text over HTTP, whatever is asked for. Where is in WEB.
web() {
  coproc SERVER { exec perl -MIO::Socket::INET -e '
    my $all = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
    $| = 1; print $all->sockport, "\n";
    while (my $one = $all->accept) {
      while (defined(my $row = <$one>)) { last if $row =~ /^\r?\n/ }
      print $one "HTTP/1.0 200 OK\r\n\r\n$ARGV[0]\n";
    }' "$1"; }
  read -r WEB <&"${SERVER[0]}"
  WEB=http://127.0.0.1:$WEB
}

# The records of what was judged before it ran; not of programs that an agent's processes started without a shell.
judged() {
  grep -hv '"door":"program"' "$HOME"/.local/state/guarded-sh/records/*.jsonl
}

# What stands in the record of who decided, in order.
deciders() {
  judged | grep -oh '"decided_by":"[^"]*"' | cut -d'"' -f4 | paste -sd' '
}

# The lines that stand in the record, each once.
lines() {
  judged | grep -oh '"line":"[^"]*"' | cut -d'"' -f4 | sort -u
}

# Says messages to a socket, in frames of this version, and prints what comes back, a message a line.
talk() {
  perl "$PLACE/talk.pl" "$@"
}

# The same at a terminal.
talk_at_terminal() {
  script -qec "$(printf '%q ' perl "$PLACE/talk.pl" "$@")" /dev/null </dev/null | tr -d '\r'
}

secret() {
  cat "$XDG_RUNTIME_DIR/guarded-sh/serve.secret"
}

DESK=$XDG_RUNTIME_DIR/guarded-sh/serve.desk
ASK=$XDG_RUNTIME_DIR/guarded-sh/serve.ask

# Runs a program in a session of its own, with no terminal; what it says goes to a file of its number.
session() {
  local number=$1
  shift
  "$GUARD" run -- "$@" >"$PLACE/said.$number" 2>&1 </dev/null &
  CLIENT=$!
}

# Waits until a question is open whose line has these words in it. Its id is in ID.
open() {
  ID=
  until ID=$(person pending | grep -F -e "$1" | cut -d' ' -f1) && [[ $ID ]]; do sleep 0.05; done
}

# A client at a person's terminal that does what the lines say; see client.pl.
client() {
  [[ -e $PLACE/work/claude ]] || cp /usr/bin/perl "$PLACE/work/claude"
  printf '%s\n' "$1" >"$PLACE/client"
  script -qec "$PLACE/work/claude $PLACE/client.pl $PLACE/client" /dev/null </dev/null | tr -d '\r'
}

# A person's tmux with one pane, in which a command runs.
pane() {
  env -u PLACE LC_ALL=C.UTF-8 TERM=xterm tmux -S "$PLACE/tmux" -f /dev/null new-session -d "$@"
}

person_tmux() {
  env LC_ALL=C.UTF-8 tmux -u -S "$PLACE/tmux" "$@"
}

# What stands in the pane.
pane_shows() {
  person_tmux capture-pane -p 2>/dev/null
}

# Waits until the pane shows a text.
until_shown() {
  until pane_shows | grep -q -- "$1"; do :; done
}

# Waits until the pane shows a text no more, or is gone.
while_shown() {
  while pane_shows | grep -q -- "$1"; do :; done
}

# What a person presses in the pane, at a person's pace: keys that come closer together count as a burst.
press() {
  local key
  for key; do
    person_tmux send-keys "$key"
    sleep 0.3
  done
}

# Opens what is selected, and waits until keys count.
open_it() {
  press Enter
  until_shown 'guarded-sh asks'
  while_shown 'one moment'
}

# The line that one of many asks with: it says whose it is.
line_of() {
  echo "rm -f f$1; echo ran $1"
}

# Waits until as many are asked about as this, and answers all of them at a host in any order: by the number in the line the answer is a
# yes, a no, a no with a message, or another line.
answer_many() {
  local count=$1 host=$2 id number answer answers=() kinds
  until (($(person pending | grep -c waits) == count)); do sleep 0.05; done
  while read -r id number; do
    kinds=('"answer":"once"' '"answer":"deny"' "\"answer\":\"deny\",\"message\":\"not $number\"" "\"answer\":\"edit\",\"line\":\"echo instead of $number\"")
    answer=${kinds[number % 4]}
    answers+=("{\"type\":\"answer\",\"id\":\"$id\",\"answer\":{$answer}}")
  done < <(person pending --json | grep -o '"id":"[^"]*","question":{"line":"[^;]*' | sed 's/"id":"\([^"]*\)".*"line":"rm -f f/\1 /' | sort -R)
  talk_at_terminal "$host.desk" "{\"type\":\"hello\",\"secret\":\"$(cat "$host.secret")\"}" "${answers[@]}" | cut -d, -f1 | sort | uniq -c
}

# What each of many got, without what is the same for all.
got_by_many() {
  local number
  for number in $(seq "$1"); do
    echo "$number: $(grep -v ^hint: "$PLACE/many.$number" | tr '\n' '|')"
  done
}

# The one process that another one started.
child() {
  local found=
  # There is no end of the line.
  read -r found _ <"/proc/$1/task/$1/children"
  [[ $found ]] && echo "$found"
}

# The agent of a session's host, which also has a process that watches what the agent starts.
agent_of() {
  local id program
  # shellcheck disable=SC2013 # They are words.
  for id in $(<"/proc/$1/task/$1/children"); do
    program=$(readlink "/proc/$id/exe") && [[ $program != "$GUARD" ]] && echo "$id" && return
  done
  return 1
}

# Waits until a process is gone, or is only left to be waited for.
gone() {
  while grep -qs '^State:.[^ZX]' "/proc/$1/status"; do sleep 0.02; done
}

# The modes of the pane's terminal.
modes() {
  stty -F "$TTY" -g
}

# A session at a terminal whose agent asks for one line, which leaves a mark. The agent and what it starts outlive a terminal that is
# gone, so that nothing but the guard keeps the line from running. A scene may say what the agent does first.
# shellcheck disable=SC2120
session_at_terminal() {
  printf '%s\n' "trap '' HUP" "${1:-:}" 'until [ -e go ]; do sleep 0.02; done' "bash -c 'rm a; echo >>ran'" 'echo "$?" >ended' >agent.sh
  touch a
  pane -x 80 -y 24 bash -c "stty -g >modes; $GUARD run -- sh agent.sh; echo over; exec sleep 1000"
  TTY=$(person_tmux display-message -p '#{pane_tty}')
}

# A session at a terminal whose agent tries the same line again.
two_tries() {
  local try="bash -c 'rm a; echo ran'"
  printf '%s\n' 'until [ -e go ]; do sleep 0.02; done' "$try" 'echo "$?" >first' 'until [ -e again ]; do sleep 0.02; done' "$try" >agent.sh
  touch a
  pane -x 80 -y 24 bash -c "$GUARD run -- sh agent.sh; echo over; exec sleep 1000"
}

# The same below the user's own host, with the list of questions at a terminal.
service_at_terminal() {
  printf '%s\n' "trap '' HUP" 'until [ -e go ]; do sleep 0.02; done' "\"$GUARD\" -c 'rm a; echo >>ran'" 'echo "$?" >ended' >agent.sh
  touch a; serve
  sh agent.sh </dev/null >"$PLACE/said.1" 2>&1 & AGENT=$!
  pane -x 80 -y 24 bash -c "stty -g >modes; $GUARD watch; exec sleep 1000"
  TTY=$(person_tmux display-message -p '#{pane_tty}')
  until_shown 'no questions are waiting'
}

# Brings a question to a point, and holds it there.
bring_to() {
  case $1 in
    # What is drawn goes nowhere.
    registered) kill -STOP "$EMULATOR"; touch go; open 'rm a' ;;
    *) touch go; open 'rm a' ;;
  esac
  CLIENT=$(child "$AGENT")
  [[ $1 == registered ]] && return
  [[ $HOST == serve ]] && { until_shown 'rm a'; press Enter; }
  until_shown 'guarded-sh asks'; while_shown 'one moment'
  case $1 in
    typed) press m; until_shown 'tell'; while_shown 'one moment'; press keep; until_shown keep ;;
    answered) kill -STOP "$CLIENT"; press o Enter; while_shown 'guarded-sh asks' ;;
    delivered)
      exec {RECORD}<"$HOME/.local/state/guarded-sh/records/head"; flock "$RECORD"
      press o Enter
      until readlink "/proc/$CLIENT/fd/"* | grep -q records/head; do :; done ;;
  esac
}

# Kills one of those who have to do with a question at a point of it, and prints what came of it.
killed() {
  local who=$1 when=$2 before
  HOST=$3
  # So that there is a record before.
  line true >"$PLACE/first"
  if [[ $HOST == serve ]]; then
    service_at_terminal
    OUTER=$SERVE INNER=$(child "$SERVE")
  else
    session_at_terminal :
    until OUTER=$(pgrep -o -f "^$GUARD run") && INNER=$(child "$OUTER") && AGENT=$(agent_of "$INNER"); do sleep 0.02; done
  fi
  EMULATOR=$(person_tmux display-message -p '#{pid}')
  before=$(cat modes)
  bring_to "$when"
  [[ $(modes) == "$before" ]] && echo 'not raw while it asks'
  case $who in
    outer) kill -KILL "$OUTER" ;;
    inner) kill -KILL "$INNER" ;;
    agent) kill -KILL "$AGENT" ;;
    watcher) kill -KILL "$(child "$INNER")" ;;
    client) kill -KILL "$CLIENT" ;;
    terminal) kill -KILL "$EMULATOR" ;;
  esac
  # The host goes with its other half, and that of a session with the agent.
  [[ $who == outer || $who == inner || $who-$HOST == agent-run || $who == watcher ]] && { gone "$INNER"; gone "$OUTER"; }
  # Nobody holds it any more.
  case $when in
    registered) kill -CONT "$EMULATOR" 2>/dev/null ;;
    answered) kill -CONT "$CLIENT" 2>/dev/null ;;
    delivered) exec {RECORD}<&- ;;
  esac
  # Where somebody still waits, they are answered at another terminal.
  if [[ ($who == terminal || $who-$HOST == agent-serve) && $when != answered && $when != delivered ]]; then
    person deny "$ID" >/dev/null
  fi
  gone "$CLIENT"; gone "$AGENT"
  if [[ $HOST == serve ]]; then
    # The list stays where it is, whoever was killed.
    [[ $who == terminal ]] || { LIST=$(pgrep -o -f "^$GUARD watch"); kill -TERM "$LIST"; gone "$LIST"; }
    kill "$SERVE" 2>/dev/null
  fi
  gone "$INNER"; gone "$OUTER"
  if [[ $who != terminal ]]; then
    [[ $(modes) == "$before" ]] || echo 'the terminal was left in another mode'
    person_tmux display-message -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}' | grep -v 010
  fi
  echo "ran $([[ -e ran ]] && wc -l <ran || echo 0)"
  echo "recorded $(deciders | sed 's, *policy *,,')"
  person verify | sed -n 's/^whole.*/whole/p; s/^not whole/&/p'
}

# Lets a program run below a user's own host or in a session, as a person permits it, while a question is open there; what it does is on
# standard input, in the words of way.sh. Prints what it said, and whether the question is still open.
way_below() {
  local where=$1
  cat "$PLACE/way.sh" - >way.sh
  # A program whose words are read from a file: what it does cannot be read.
  # shellcheck disable=SC2016 # It is Perl.
  printf '%s\n' '#!/usr/bin/perl' 'open(my $call, "<", "call"); exec split " ", <$call>;' >tool
  echo '/bin/bash way.sh' >call
  chmod +x tool; touch a b; export PLACE GUARD
  if [[ $where == serve ]]; then
    serve
    start 1 'rm a'; open 'rm a'; HOST=$(child "$SERVE"); NAME=serve
    start 2 ./tool
  else
    session 2 sh -c 'bash -c "rm a" >/dev/null 2>&1 & until [ -e id ]; do sleep 0.02; done; bash -c ./tool; until [ -e over ]; do sleep 0.02; done'
    open 'rm a'; HOST=$(child "$CLIENT"); NAME=$HOST
  fi
  printf '%s\n' "ID=$ID" "HOST=$HOST" "NAME=$NAME" >id
  local question=$ID
  open ./tool; person approve "$ID" >/dev/null
  until [[ -e 'done' ]]; do sleep 0.02; done
  sed "s/$question/ID/g; s/\b$HOST\b/HOST/g" said
  person pending | grep -c "^$question .*waits"
  ls a
  : >over
}

# A session bus with a desktop, and what it showed.
desktop() {
  mkfifo "$PLACE/hand"
  perl "$PLACE/desktop.pl" "$PLACE/bus" "$PLACE/hand" >"$PLACE/desktop" 2>&1 &
  DESKTOP=$!
  until_desktop ready
  export DBUS_SESSION_BUS_ADDRESS=unix:path=$PLACE/bus
}

# Waits until the desktop has shown a text.
until_desktop() {
  until grep -q -- "$1" "$PLACE/desktop"; do sleep 0.02; done
}

# What the desktop showed.
shown_on_desktop() {
  sed "1d; s/${ID:-none}/ID/g" "$PLACE/desktop"
}

# What a person does to the last notification.
hand() {
  echo "$@" >"$PLACE/hand"
}
