short-waits = venter
short-waits-for = om { $time }
short-left = væk
short-seconds = { $count }s
short-minutes = { $count }m
short-hours = { $count }t

watch-open = åbne { $count }
watch-history = historik { $count }
watch-waiting =
    { $hosts ->
        [one] { $waiting } venter · 1 vært
       *[other] { $waiting } venter · { $hosts } værter
    }
watch-no-history = intet er besvaret for nylig
watch-no-host = ingen vært kører: `guarded-sh serve` er en, og hver `guarded-sh run`
watch-no-questions = ingen spørgsmål venter
watch-shows-all = Enter viser alt
watch-gone = (væk)
watch-why-where = { $why } (i { $place })
watch-too-small = { $open } åbne; terminalen skal være { $columns } gange { $rows }
watch-not-all = ikke alle vises: { $why }
watch-keys-in-burst = tastet for hurtigt, derfor kasseret; tryk én tast
watch-asker-ended = den, der spurgte, eller dens vært er afsluttet
watch-host-ended = værten er afsluttet
watch-not-taken = svaret blev ikke taget: { $why }

watch-foot-open = Enter åbn · d afvis · h historik · ? hjælp · q afslut
watch-foot-none-open = h historik · ? hjælp · q afslut
watch-foot-history = Enter åbn · Esc tilbage · ? hjælp · q afslut
watch-foot-no-history = Esc tilbage · ? hjælp · q afslut
watch-foot-help = enhver tast går tilbage
watch-help-choose = vælg et spørgsmål; PgUp PgDn Home End går længere
watch-help-open = åbn det: alt, der er at sige om det, og hvert svar
watch-help-deny = afvis det straks
watch-help-history = det, der er besvaret for nylig, og tilbage
watch-help-quit = afslut; spørgsmål forbliver åbne

answer-permitted-once = tilladt én gang: { $line }
answer-permitted-session = tilladt for sessionen: { $line }
answer-permitted-line = tilladt for sessionen, kun denne linje her: { $line }
answer-denied = afvist: { $line }
answer-stopped = afvist, og agenten skal afslutte: { $line }
answer-critical-once = den er kritisk: et ja gælder kun denne ene gang
answer-not-permitted = ikke tilladt; spørgsmålet forbliver åbent
answer-type-word = Tast `{ $word }` for at køre den én gang, alt andet lader den være:
answer-no-such = intet åbent spørgsmål har id { $id }
answer-lists = guarded-sh pending viser dem

run-cannot-show = { $who } vil køre '{ $line }', og denne terminal kan ikke vise spørgsmålet (TERM): besvar det i en anden med `guarded-sh watch`
run-gave-up = den, der spurgte, venter ikke længere
run-answered-elsewhere = besvaret et andet sted: { $how }
run-needs-none = den, der spurgte, er afsluttet eller behøver intet svar
run-ended = den, der spurgte, er afsluttet

notice-asks = guarded-sh spørger: { $severity } ({ $id })
notice-warns = guarded-sh advarer
notice-open = Åbn

practice-wanted = Et spørgsmål til øvelse? Intet køres, uanset svaret.
practice-said = svar: { $how }
practice-left = ladt åbent: et rigtigt ville forblive åbent, og dets agent ville være afvist for nu
