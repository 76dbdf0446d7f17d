record-reading = Lecture du journal en cours :
record-not-all = Tout n’est pas encore montré.
record-read = Le journal est lu en entier. Rechargez la page pour tout voir.
record-part = { $part } %
record-earlier = Plus tôt
record-not-here = Pas d’ici
record-only-here = Cela se voit et se change dans un navigateur sur la machine elle-même.
record-times = { $count } fois
record-status = statut { $status }
record-took = durée { $time }
record-tenths = { $whole },{ $tenths } s
record-seconds = { $count } s
record-minutes = { $count } min
record-hours = { $count } h

ended-signal = terminé par un signal
ended-unforeseen =
    { $count ->
        [one] { $count } programme non prévu s’est exécuté
       *[other] { $count } programmes non prévus se sont exécutés
    }
ended-made = créé :
ended-changed = modifié :
ended-more = et { $count } de plus

overview-unverified = Le journal n’est pas intègre : { $why }
overview-hosts =
    { $count ->
        [0] Aucun hôte n’est suivi.
        [one] Un hôte est suivi.
       *[other] { $count } hôtes sont suivis.
    }
overview-waiting =
    { $count ->
        [0] Aucune question en attente
        [one] Une question en attente
       *[other] { $count } questions en attente
    }
overview-far = Période
overview-day = un jour
overview-week = une semaine
overview-weeks = quatre semaines
overview-empty = Rien n’a été décidé pendant cette période.
overview-coverage = Couverture
overview-uncovered = Appels sans décision de notre part
overview-uncovered-in =
    { $count ->
        [one] { $count } des { $checked } dernières transcriptions examinées en contient :
       *[other] { $count } des { $checked } dernières transcriptions examinées en contiennent :
    }
overview-uncovered-of = { $count } sur { $checked }
overview-still =
    { $count ->
        [one] Une des dernières transcriptions est encore en cours de lecture.
       *[other] { $count } des dernières transcriptions sont encore en cours de lecture.
    }
overview-decided = Décisions
overview-ran = Exécuté sans demander ou après un oui
overview-contained = Exécuté, clôturé
overview-asked = Demandé
overview-to-agent = Question laissée à l’agent
overview-refused = Refusé
overview-shadow = En mode observation
overview-waited = Attente de personnes
overview-judged = Un modèle consulté
overview-spent = Dépensé en modèles aujourd’hui
overview-cost = requêtes : { $calls }, jetons : { $tokens }, { $money } à vos prix
overview-share = { $count } ({ $percent } %)
overview-most = Le plus souvent demandé
overview-nothing = Rien.
overview-rule = Règle
overview-rule-times = Nombre
overview-chart = Décisions, en { $columns } colonnes, { $most } au plus par colonne
overview-bar = { $when } : { $ran } exécutés, { $refused } refusés ; dont { $asked } demandés
overview-bar-ran = exécuté
overview-bar-refused = refusé
overview-bar-asked = demandé
overview-scale =
    { $hours ->
        [one] Une colonne vaut une heure, la plus haute compte { $most }.
       *[other] Une colonne vaut { $hours } heures, la plus haute compte { $most }.
    }

history-rule = Règle
history-search = Chercher
history-empty = Rien dans le journal ne correspond.
history-count =
    { $count ->
        [one] { $count } appel.
       *[other] { $count } appels.
    }
history-newest = Les { $count } plus récents ; il peut y en avoir de plus anciens.

sessions-empty = Le journal n’a encore aucune session.
sessions-last = Dernier
sessions-asked = Demandé
sessions-refused = Refusé
session-more = Il y a du nouveau :
session-load = le charger
session-empty = Le journal n’a rien de cette session.
session-no-agent = agent inconnu
session-time = Période
session-decided = Décisions
session-counts = { $calls }, demandé { $asked }, refusé { $refused }
session-export = Exporter :
session-transcript = Transcription
session-kept-by = telle que { $agent } la tient
session-files = Fichiers écrits ou modifiés, tels que les appels les nomment : { $count }

timeline-person = Personne
timeline-model = Modèle
timeline-thought = Modèle, pour lui-même
timeline-client = Client
timeline-helper = auxiliaire
timeline-withdrawn = annulé
timeline-rest =
    { $count ->
        [one] { $count } octet de plus n’est pas montré.
       *[other] { $count } octets de plus ne sont pas montrés.
    }
timeline-got = Entrée reçue
timeline-got-and-came = Entrée reçue et résultat
timeline-came = Résultat
timeline-earlier-came = Résultat d’un appel antérieur
timeline-input = Entrée
timeline-output = Sortie
timeline-failed = échec
timeline-none = Aucune décision
timeline-none-yet = Pas encore de décision
timeline-none-of-ours = Aucune décision de notre part
timeline-decided = Décidé
timeline-by-id = associé par identifiant
timeline-by-content = associé par contenu
timeline-by-several = associé par contenu, commun à plusieurs
timeline-tokens = Jetons :
timeline-tokens-in = { $count } en entrée
timeline-tokens-out = { $count } en sortie
timeline-tokens-cached = { $count } lus du cache
timeline-tokens-written = { $count } écrits dans le cache
timeline-cost = Coût : { $cost }

transcripts-evidence = Ce que les agents gardent eux-mêmes de leurs sessions. Un agent peut l’écrire : c’est un indice, jamais une autorité.
transcripts-all = tous
transcripts-empty = Il n’y a aucune transcription.
transcripts-looked = Cherché dans :
transcripts-size = Taille
transcripts-project = Projet et début de la session
transcripts-newer = Plus récentes
transcripts-older = Plus anciennes
transcripts-count = { $count } en tout
transcript-in-record = La session dans le journal
transcript-newest = Le plus récent
transcript-later = Plus tard
transcript-further = Suite
transcript-nothing = Rien n’est dit sur cette page.
transcript-reading = Lecture en cours :
transcript-not-all = Les totaux et la couverture ne portent pas encore sur l’ensemble.
transcript-prompts = Prompts
transcript-calls = Appels d’outils
transcript-used = Consommation
transcript-damage = Dommages
transcript-damaged =
    { $count ->
        [one] { $count } ligne illisible en partie
       *[other] { $count } lignes illisibles en partie
    }
transcript-uncovered =
    { $count ->
        [one] { $count } des { $checked } appels qui exécutent des commandes ou modifient des fichiers n’a aucune décision de notre part.
       *[other] { $count } des { $checked } appels qui exécutent des commandes ou modifient des fichiers n’ont aucune décision de notre part.
    }
transcript-either = Soit ils ont échappé au garde, soit la transcription ne dit pas la vérité : l’agent peut l’écrire. C’est un indice, jamais une autorité.
transcript-which = Lesquels
transcript-more = Et { $count } de plus.
transcript-there = Là
transcript-covered =
    { $count ->
        [one] Le seul appel qui exécute des commandes ou modifie des fichiers a une décision de notre part.
       *[other] Chacun des { $count } appels qui exécutent des commandes ou modifient des fichiers a une décision de notre part.
    }
transcript-older =
    { $count ->
        [one] { $count } appel est plus ancien que le journal.
       *[other] { $count } appels sont plus anciens que le journal.
    }
transcript-uncompared =
    { $count ->
        [one] { $count } appel de plus est de trop pour être comparé au journal.
       *[other] { $count } appels de plus sont trop nombreux pour être comparés au journal.
    }

call-one = Appel
call-title = Appel { $number }
call-more-bytes =
    { $count ->
        [one] et { $count } octet de plus
       *[other] et { $count } octets de plus
    }
call-kept = Ce que l’agent en garde
call-directory = Répertoire
call-claims = Se dit pour
call-ended = Fin
call-before = Gardé avant
call-undo = Ce qui a changé se voit avec `{ $command }`
call-score = Note
call-safe = sûr à { $score } sur 100
call-judged = Jugé en
call-micros = { $count } µs
call-found = Ce qui a été trouvé
call-again = Comment ce serait jugé maintenant, en détail
call-course = Qui l’a vu, et ce qui a été décidé
call-hook = le hook { $event }
call-hook-of = le hook { $event } de { $tool }
call-asked-terminal = une personne a été interrogée au terminal ; { $came }
call-asked-host = une personne a été interrogée à l’hôte ; { $came }
call-asked-question = une personne a été interrogée à l’hôte (question { $id }) ; { $came }
call-no-answer = personne n’a répondu pendant { $time }
call-model-answered = un modèle a répondu après { $time }
call-answered = réponse après { $time }
call-answered-by = réponse après { $time } { $proof }
call-paused = { $told } (pause : { $by })
