page-skip = Gå til indholdet
page-pages = Sider
page-leave = Log af
page-the-line = Linjen
page-now = Nu
page-live = Live
page-transcripts = Udskrifter
page-rules = Regler
page-settings = Indstillinger
page-prompts = Prompter
page-agents = Agenter
page-sessions = Sessioner
page-overview = Overblik
page-history = Historik
page-try = Prøveplads

now-no-key = Denne browser kan se, men ikke svare: Den har ingen nøgle. Åbn siden med en ny kode for at parre den.
now-no-script = Uden JavaScript viser siden, hvordan det stod til ved indlæsningen, og kan ikke svare.
now-empty = Intet venter på svar.
now-no-host = Ingen session følges: start en agent med `guarded-sh run` eller tjenesten med `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] Én vært følges.
       *[other] { $count } værter følges.
    }
now-answered = Besvaret for nylig
now-question = Spørgsmål { $id }
now-in = i
now-waits = venter
now-left = ingen venter længere: et ja gælder for næste forsøg
now-trying = Den prøves…
now-deny = Afvis
now-once = Tillad én gang
now-try = Prøv først
now-keep = Behold resultatet
now-type-word = Tast `{ $word }` for at køre den én gang
now-more = Afvis med en besked, eller ret linjen
now-more-stop = Afvis med besked, afslut agenten, eller ret linjen
now-stop = Afvis og afslut agenten
now-together = { $count } spørgsmål om { $commands }: besvar dem samlet
now-deny-each = Afvis dem hver især
now-once-each = Tillad dem hver især én gang
now-looks = Herfra kan man se, men ikke svare: det siger `page.remote.answer` i indstillingerne.
now-message = Besked til agenten
now-deny-with = Afvis med denne besked
now-edit = Linje, der bedømmes i stedet
now-judge = Få denne linje bedømt
now-session = Tillad for sessionen
now-allow-this = Tillad dette for sessionen
now-always = Tillad altid: denne regel skrives
now-write = Skriv reglen, og tillad

live-filter = Filter
live-text = Tekst
live-agent = Agent
live-session = Session
live-project = Projekt
live-action = Handling
live-least = Mindst
live-any = alle
live-pause = Pause
live-no-script = Uden JavaScript viser siden de nyeste kald, som de var ved indlæsningen.
action-allow = tilladt
action-contain = indhegnet
action-ask = spurgt
action-deny = afvist

files-title = Filer
files-link = Hvad der blev af filerne
files-from-undo = Hvad undo gemte før linjerne, ved siden af det, der står der nu. Filer, der ændres uden en linje i shellen, er ikke med.
files-nothing-kept = Undo gemte intet før disse linjer.
files-as-they-were = Alt er, som det var.
files-made = oprettet
files-changed = ændret
files-deleted = slettet
files-dressed = andre rettigheder eller et andet tidspunkt
files-more =
    { $count ->
        [one] 1 sti mere vises ikke.
       *[other] { $count } stier mere vises ikke.
    }
files-lines =
    { $count ->
        [one] 1 linje mere vises ikke.
       *[other] { $count } linjer mere vises ikke.
    }
files-unread = Ikke læst: { $what }

rows-calls = Kald
rows-when = Hvornår
rows-agent = Agent
rows-severity = Alvor
rows-happened = Hvad der skete
rows-line = Linje

script-units = s min t
script-unknown = denne browser er ikke længere kendt her
script-no-key = denne browser har ingen nøgle: åbn siden med en ny kode for at parre den
script-not-taken = Ikke taget
script-unreached = Siden kan ikke nås lige nu: Det viste kan være gammelt.
