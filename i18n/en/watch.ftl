# What a person reads of questions elsewhere: `watch`, `pending`, `approve`, `deny`, notifications, and the terminal of `run`.

## How a question stands: 10 columns at most, and 4 for how old it is.

short-waits = waits
short-waits-for = waits { $time }
short-left = left
short-seconds = { $count }s
short-minutes = { $count }m
short-hours = { $count }h

## The list.

watch-open = open { $count }
watch-history = history { $count }
watch-waiting =
    { $hosts ->
        [one] { $waiting } waiting · 1 host
       *[other] { $waiting } waiting · { $hosts } hosts
    }
watch-no-history = nothing was answered lately
watch-no-host = no host runs: `guarded-sh serve` is one, and each `guarded-sh run`
watch-no-questions = no questions are waiting
watch-shows-all = Enter shows all
watch-gone = (gone)
watch-why-where = { $why } (in { $place })
watch-too-small = { $open } open; make this terminal { $columns } by { $rows }
watch-not-all = not all are shown: { $why }
watch-keys-in-burst = keys typed this fast were dropped; press one
watch-asker-ended = who asked, or its host, has ended
watch-host-ended = its host ended
watch-not-taken = the answer was not taken: { $why }

## Keys: one row.

watch-foot-open = Enter opens · d denies · h history · ? help · q quits
watch-foot-none-open = h history · ? help · q quits
watch-foot-history = Enter opens · Esc back · ? help · q quits
watch-foot-no-history = Esc back · ? help · q quits
watch-foot-help = any key goes back
watch-help-choose = choose a question; PgUp PgDn Home End go farther
watch-help-open = opens it: all there is to say about it, and every answer
watch-help-deny = denies it at once
watch-help-history = what was answered lately, and back
watch-help-quit = ends; questions stay open

## `approve` and `deny`.

answer-permitted-once = permitted once: { $line }
answer-permitted-session = permitted for the session: { $line }
answer-permitted-line = permitted for the session, this line here: { $line }
answer-denied = denied: { $line }
answer-stopped = denied, and the agent is told to end: { $line }
answer-critical-once = it is critical: a yes covers this once and no more
answer-not-permitted = not permitted; the question stays open
answer-type-word = Type `{ $word }` to run it once, anything else to leave it:
answer-no-such = no open question has the id { $id }
answer-lists = guarded-sh pending lists them

## The terminal of `run`.

run-cannot-show = { $who } asks to run '{ $line }', and this terminal cannot show the question (TERM): answer it in another one by `guarded-sh watch`
run-gave-up = its asker gave up waiting
run-answered-elsewhere = it is answered elsewhere, and is { $how }
run-needs-none = its asker has ended, or needs no answer any more
run-ended = its asker has ended

## Notifications.

notice-asks = guarded-sh asks: { $severity } ({ $id })
notice-warns = guarded-sh warns
notice-open = Open

## The question for practice of `setup`.

practice-wanted = A question for practice? Nothing runs, whatever you say.
practice-said = you said: { $how }
practice-left = you left it: a real one stays open, and its agent is refused for now
