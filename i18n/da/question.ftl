severity-low = lav
severity-medium = mellem
severity-high = høj
severity-critical = kritisk

question-asks = guarded-sh spørger
question-asked = guarded-sh spurgte
question-program = et program
question-place-gone = en mappe, der er væk
question-seconds-left = { $count } s tilbage
question-minutes-left = { $count } min tilbage
question-wants-to-run = { $who } vil køre dette i { $place }
question-who-where = { $who } i { $place }
question-nobody-waits = ingen venter længere: et ja gælder for næste forsøg
question-session = session { $session }
question-more-wait =
    { $count ->
        [one] 1 mere venter
       *[other] { $count } flere venter
    }
question-too-small = guarded-sh spørger, men terminalen er for lille til at vise hvad: den skal være { $columns } gange { $rows }. Escape afviser.
question-left-closed = Spørgsmålet er væk: { $why }. Esc lukker det.
question-left = Spørgsmålet er væk: { $why }. Det tager intet svar, og det indtastede går tabt, indtil der trykkes Esc.
question-is-answered = Besvaret: { $how }.
question-no-answer-needed = der behøves intet svar længere

question-fence = hegn
question-model = model
question-more-reasons =
    { $count ->
        [one] 1 grund mere
       *[other] { $count } grunde mere
    }
question-safer = sikrere: { $line }
question-not-held = den holdes ikke inden for et hegn
question-held-to-nothing = efter et ja holder intet den tilbage: { $why }
question-held-with-tcp = lader den efter et ja skrive { $writes } og bruge TCP
question-held-without-tcp = lader den efter et ja skrive { $writes }, men ikke bruge TCP
question-anywhere = overalt
question-in-places =
    { $more ->
        [0] i { $places }
       *[other] i { $places } og { $more } til
    }
question-no-opinion = ingen anden vurdering: { $why }
question-model-notes = { $model } bemærker: { $note }
question-model-within = { $model } finder det inden for opgaven, { $score } af 100 sikkert
question-model-wider = { $model } finder det videre end opgaven, { $score } af 100 sikkert
question-model-unclear = { $model } kan ikke afgøre det, { $score } af 100 sikkert

choice-deny = afvis
choice-once = én gang
choice-session = session…
choice-always = altid…
choice-deny-does = med begrundelsen
choice-once-by-word = kun denne gang; der skal tastes et ord
choice-session-does = indtil sessionen slutter; først vises til hvad
choice-always-does = skriver en regel; den vises først
choice-place = { $at } af { $count }
choice-back = tilbage
choice-keep = behold resultatet
choice-write = skriv reglen og kør linjen
choice-stop = afvis, og afslut agenten

question-once-covers = kun denne gang: netop denne linje, i denne mappe
question-for-session = Indtil { $who }s session slutter, tillad:
question-commands = { $rest } og { $last }
question-same = det samme
question-other-lines-too = { $commands }, også i andre linjer
question-only-this-line = kun netop denne linje
question-byte-for-byte = byte for byte, i { $place }
question-exactly = præcis { $words }
question-more-things =
    { $count ->
        [one] 1 virkning mere af linjen
       *[other] { $count } virkninger mere af linjen
    }
question-no-worse = ikke værre end { $severity }
question-no-worse-and-only = ikke værre end { $severity }, og intet andet end:
question-any-package = installerer pakker fra registret, uanset hvilke
question-same-inside = { $does }, og det samme ved andre i arbejdsområdet
question-same-built = { $does }, og det samme ved andre byggeresultater
question-same-temporary = { $does }, og det samme ved andre i midlertidige mapper
question-rule = Denne regel føjes varigt til egne regler:
question-no-rule = ingen regel blev skrevet: { $why }

key-more = mere
key-choose = vælg
key-takes = tag det
key-allows = tillad
key-edit = rediger
key-deny-and-say = afvis med grund
key-deny-and-end = afvis, afslut agent
key-denies-and-sends = afvis og send
key-try = prøv
key-explain = forklar
key-back = tilbage
key-done = færdig
key-new-line = ny linje
key-scroll = rul
key-next-question = næste spørgsmål
key-closes = luk

question-type-word = Dette kan gøre stor skade. Tast { $word }, og tryk Enter for at køre det:
question-deny-and-tell = Afvis, og fortæl { $who }:
question-stop = Afvis, og afslut { $who }: den, der spurgte, får SIGTERM og efter 5 sekunder SIGKILL. Det, der ikke er gemt, går tabt.
question-edit = Rediger linjen. Den bedømmes som enhver anden, før den køres.
question-not-the-word = det er ikke ordet
question-nothing-to-run = der er intet at køre
question-nothing-changed = intet blev ændret

question-moment = et øjeblik…
question-keys-held = et øjeblik: taster tæller ikke endnu
question-keys-early = tastet, før det kunne læses, derfor kasseret; et øjeblik
question-keys-in-burst = tastet for hurtigt, derfor kasseret; et øjeblik, så én tast
question-keys-for-nothing = det gik ingen steder hen: Esc lukker dette
question-key-too-fast = den tast kom for hurtigt efter teksten: tryk igen
question-key-unknown = den tast gør intet her; et øjeblik
question-pasted = indsat tekst er intet svar; et øjeblik
question-unseen = denne del tæller også: læs den, og tryk Enter igen
question-disturbed = et andet program skrev hen over dette: tegnet igen, så læs det på ny
question-disturbing = et andet program skrev hen over dette; vent: taster tæller ikke endnu

question-trying = Den prøves, hvor den intet ændrer: intet net, ingen hemmeligheder, og det, den skriver, lægges til side.
question-not-tried = Den kunne ikke prøves: { $why }.
question-not-kept = Resultatet kan ikke beholdes: { $why }. Intet blev ændret.
trial-ended = Prøvet: { $how }. Intet blev ændret.
trial-untried = Ikke prøvet: { $what }.
trial-printed = Den skrev ud:
trial-nothing = Den ville intet ændre i arbejdsområdet.
trial-unreadable = Det, den ville ændre, kan ikke læses: { $why }

answered-denied = afvist
answered-stopped = afvist, og agenten afsluttet
answered-denied-with = afvist med beskeden: { $message }
answered-once = tilladt én gang
answered-session = tilladt, indtil sessionen slutter, også i andre linjer
answered-session-line = netop denne linje tilladt, indtil sessionen slutter
answered-always = tilladt for altid
answered-edited = erstattet af denne linje: { $line }
answered-kept = udført som prøvet
short-denied = afvist
short-once = én gang
short-session = session
short-always = altid
short-edited = ændret
short-kept = beholdt
