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

# What stands in the record of who decided, in order.
deciders() {
  grep -oh '"decided_by":"[^"]*"' "$HOME"/.local/state/guarded-sh/records/*.jsonl | cut -d'"' -f4 | paste -sd' '
}

# The lines that stand in the record, each once.
lines() {
  grep -oh '"line":"[^"]*"' "$HOME"/.local/state/guarded-sh/records/*.jsonl | cut -d'"' -f4 | sort -u
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

# What a person presses in the pane.
press() {
  person_tmux send-keys "$@"
}

# Opens what is selected, and waits until keys count.
open_it() {
  press Enter
  until_shown 'guarded-sh asks'
  while_shown 'one moment'
}
