record-reading = Optegnelsen læses:
record-not-all = Endnu vises ikke det hele.
record-read = Hele optegnelsen er læst. Indlæs siden igen for at se det hele.
record-part = { $part } %
record-earlier = Tidligere
record-not-here = Ikke herfra
record-only-here = Dette ses og ændres i en browser på selve maskinen.
record-times =
    { $count ->
        [one] én gang
       *[other] { $count } gange
    }
record-status = status { $status }
record-took = tog { $time }
record-tenths = { $whole },{ $tenths } s
record-seconds = { $count } s
record-minutes = { $count } min
record-hours = { $count } t

ended-signal = afsluttet af et signal
ended-unforeseen =
    { $count ->
        [one] 1 program kørte uventet
       *[other] { $count } programmer kørte uventet
    }
ended-made = oprettet:
ended-changed = ændret:
ended-more = og { $count } mere

overview-unverified = Optegnelsen består ikke kontrollen: { $why }
overview-hosts =
    { $count ->
        [0] Ingen vært følges.
        [one] Én vært følges.
       *[other] { $count } værter følges.
    }
overview-waiting =
    { $count ->
        [0] Intet spørgsmål venter
        [one] Ét spørgsmål venter
       *[other] { $count } spørgsmål venter
    }
overview-far = Hvor langt tilbage
overview-day = en dag
overview-week = en uge
overview-weeks = fire uger
overview-empty = Intet blev afgjort i dette tidsrum.
overview-coverage = Dækning
overview-uncovered = Kald uden afgørelse fra os
overview-uncovered-in = { $count } af de { $checked } senest skrevne udskrifter, der blev set på, har nogle:
overview-uncovered-of = { $count } af { $checked }
overview-still =
    { $count ->
        [one] En af de nyeste udskrifter læses stadig.
       *[other] { $count } af de nyeste udskrifter læses stadig.
    }
overview-decided = Afgjort
overview-ran = Kørt uden at spørge eller efter et ja
overview-contained = Kørt indhegnet
overview-asked = Spurgt
overview-to-agent = Overladt til agenten at spørge
overview-refused = Afvist
overview-shadow = I skyggetilstand
overview-waited = Ventet på personer
overview-judged = En model blev spurgt
overview-spent = Brugt på modeller i dag
overview-cost = forespørgsler: { $calls }, tokens: { $tokens }, { $money } efter egne priser
overview-share = { $count } ({ $percent } %)
overview-most = Hvad der oftest blev spurgt om
overview-nothing = Intet.
overview-rule = Regel
overview-rule-times = Antal
overview-chart = Hvad der blev afgjort, i { $columns } søjler, højst { $most } i én
overview-bar = { $when }: { $ran } kørt, { $refused } afvist; spurgt om { $asked } af dem
overview-bar-ran = kørt
overview-bar-refused = afvist
overview-bar-asked = spurgt
overview-scale =
    { $hours ->
        [one] En søjle er en time, den højeste har { $most }.
       *[other] En søjle er { $hours } timer, den højeste har { $most }.
    }

history-rule = Regel
history-search = Søg
history-empty = Intet i optegnelsen passer.
history-count =
    { $count ->
        [one] Ét kald.
       *[other] { $count } kald.
    }
history-newest = De nyeste { $count }; der kan være ældre.

sessions-empty = Optegnelsen har endnu ingen session.
sessions-last = Senest
sessions-asked = Spurgt
sessions-refused = Afvist
session-more = Der er mere:
session-load = indlæs det
session-empty = Optegnelsen har intet om denne session.
session-no-agent = ukendt agent
session-time = Tid
session-decided = Afgjort
session-counts = { $calls }, spurgt { $asked }, afvist { $refused }
session-export = Eksportér:
session-transcript = Udskrift
session-kept-by = som { $agent } fører den
session-files = Filer skrevet eller ændret, som kaldene nævner dem: { $count }

timeline-person = Person
timeline-model = Model
timeline-thought = Model, for sig selv
timeline-client = Klient
timeline-helper = hjælper
timeline-withdrawn = taget tilbage
timeline-rest =
    { $count ->
        [one] 1 byte mere vises ikke.
       *[other] { $count } byte mere vises ikke.
    }
timeline-got = Hvad det fik
timeline-got-and-came = Hvad det fik, og resultatet
timeline-came = Resultat
timeline-earlier-came = Resultat af et tidligere kald
timeline-input = Inddata
timeline-output = Uddata
timeline-failed = mislykkedes
timeline-none = Ingen afgørelse
timeline-none-yet = Endnu ingen afgørelse
timeline-none-of-ours = Ingen afgørelse fra os
timeline-decided = Afgjort
timeline-by-id = fundet ved id
timeline-by-content = fundet ved indhold
timeline-by-several = fundet ved indhold, flere har det
timeline-tokens = Tokens:
timeline-tokens-in = { $count } ind
timeline-tokens-out = { $count } ud
timeline-tokens-cached = { $count } læst fra cache
timeline-tokens-written = { $count } skrevet til cache
timeline-cost = Pris: { $cost }

transcripts-evidence = Hvad agenter selv gemmer om deres sessioner. En agent kan skrive det: Det er et indicium og aldrig afgørende.
transcripts-all = alle
transcripts-empty = Der er ingen udskrift.
transcripts-looked = Søgt i:
transcripts-size = Størrelse
transcripts-project = Projekt, og hvordan det begyndte
transcripts-newer = Nyere
transcripts-older = Ældre
transcripts-count = { $count } i alt
transcript-in-record = Sessionen i optegnelsen
transcript-newest = Nyeste
transcript-later = Senere
transcript-further = Videre
transcript-nothing = Intet siges på denne side.
transcript-reading = Den læses:
transcript-not-all = Summer og dækning omfatter endnu ikke det hele.
transcript-prompts = Prompter
transcript-calls = Værktøjskald
transcript-used = Forbrugt
transcript-damage = Skader
transcript-damaged =
    { $count ->
        [one] 1 linje kan ikke læses helt
       *[other] { $count } linjer kan ikke læses helt
    }
transcript-uncovered =
    { $count ->
        [one] { $count } af { $checked } kald, der kører kommandoer eller ændrer filer, har ingen afgørelse fra os.
       *[other] { $count } af { $checked } kald, der kører kommandoer eller ændrer filer, har ingen afgørelse fra os.
    }
transcript-either = Enten kørte de uden om vagten, eller udskriften taler ikke sandt: Agenten kan skrive den. Den er et indicium og aldrig afgørende.
transcript-which = Hvilke
transcript-more = Og { $count } mere.
transcript-there = Der
transcript-covered =
    { $count ->
        [one] Det ene kald, der kører kommandoer eller ændrer filer, har en afgørelse fra os.
       *[other] Hvert af de { $count } kald, der kører kommandoer eller ændrer filer, har en afgørelse fra os.
    }
transcript-older =
    { $count ->
        [one] 1 kald er ældre end optegnelsen.
       *[other] { $count } kald er ældre end optegnelsen.
    }
transcript-uncompared =
    { $count ->
        [one] 1 kald mere er for meget at sammenligne med optegnelsen.
       *[other] { $count } kald mere er for mange at sammenligne med optegnelsen.
    }

call-one = Kald
call-title = Kald { $number }
call-more-bytes =
    { $count ->
        [one] og 1 byte mere
       *[other] og { $count } byte mere
    }
call-kept = Hvad agenten gemmer om det
call-directory = Mappe
call-claims = Angiveligt for
call-ended = Afslutning
call-before = Gemt forinden
call-undo = Hvad der ændredes, vises af `{ $command }`
call-score = Score
call-safe = { $score } af 100 sikker
call-judged = Bedømt på
call-micros = { $count } µs
call-found = Hvad der blev fundet
call-again = Hvordan det ville blive bedømt nu, i detaljer
call-course = Hvem der så det, og hvad der blev afgjort
call-hook = hooken { $event }
call-hook-of = hooken { $event } for { $tool }
call-asked-terminal = en person blev spurgt ved terminalen; { $came }
call-asked-host = en person blev spurgt ved værten; { $came }
call-asked-question = en person blev spurgt ved værten (spørgsmål { $id }); { $came }
call-no-answer = ingen svarede i { $time }
call-model-answered = en model svarede efter { $time }
call-answered = besvaret efter { $time }
call-answered-by = besvaret efter { $time } { $proof }
call-paused = { $told } (pause: { $by })
