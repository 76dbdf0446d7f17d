severity-low = faible
severity-medium = moyenne
severity-high = élevée
severity-critical = critique

question-asks = guarded-sh demande
question-asked = guarded-sh a demandé
question-program = un programme
question-place-gone = un répertoire disparu
question-seconds-left = encore { $count } s
question-minutes-left = encore { $count } min
question-wants-to-run = { $who } veut exécuter ceci dans { $place }
question-who-where = { $who } dans { $place }
question-nobody-waits = plus personne n’attend : un oui vaut pour la prochaine tentative
question-session = session { $session }
question-more-wait =
    { $count ->
        [one] 1 autre attend
       *[other] { $count } autres attendent
    }
question-too-small = guarded-sh demande, mais ce terminal est trop petit pour le montrer : il faut { $columns } sur { $rows }. Échap refuse.
question-left-closed = Cette question n’est plus posée : { $why }. Échap la ferme.
question-left = Cette question n’est plus posée : { $why }. Elle ne prend plus de réponse, et ce qui est tapé se perd jusqu’à Échap.
question-is-answered = Réponse donnée : { $how }.
question-no-answer-needed = plus besoin de réponse

question-fence = clôture
question-model = modèle
question-more-reasons =
    { $count ->
        [one] 1 autre raison
       *[other] { $count } autres raisons
    }
question-safer = plus sûr : { $line }
question-not-held = elle n’est pas clôturée
question-held-to-nothing = après un oui, rien ne la retient : { $why }
question-held-with-tcp = après un oui, peut écrire { $writes } et utiliser TCP
question-held-without-tcp = après un oui, peut écrire { $writes }, sans TCP
question-anywhere = partout
question-in-places =
    { $more ->
        [0] dans { $places }
        [one] dans { $places } et 1 autre
       *[other] dans { $places } et { $more } autres
    }
question-no-opinion = pas de second avis : { $why }
question-model-notes = { $model } note : { $note }
question-model-within = { $model } : dans le cadre de la tâche, sûr à { $score } sur 100
question-model-wider = { $model } : au-delà de la tâche, sûr à { $score } sur 100
question-model-unclear = { $model } ne peut pas le dire, sûr à { $score } sur 100

choice-deny = refuser
choice-once = une fois
choice-session = session…
choice-always = toujours…
choice-deny-does = avec le motif
choice-once-by-word = cette seule fois ; un mot est à taper
choice-session-does = jusqu’à la fin de la session ; l’étendue est montrée d’abord
choice-always-does = écrit une règle ; elle est montrée d’abord
choice-place = { $at } sur { $count }
choice-back = retour
choice-keep = garder le résultat
choice-write = écrire la règle et exécuter la ligne
choice-stop = refuser et arrêter l’agent

question-once-covers = cette seule fois : cette ligne exacte, dans ce répertoire
question-for-session = Jusqu’à la fin de la session de { $who }, autoriser :
question-commands = { $rest } et { $last }
question-same = la même chose
question-other-lines-too = { $commands }, dans d’autres lignes aussi
question-only-this-line = seulement cette même ligne
question-byte-for-byte = à l’octet près, dans { $place }
question-exactly = exactement { $words }
question-more-things =
    { $count ->
        [one] 1 autre effet de cette ligne
       *[other] { $count } autres effets de cette ligne
    }
question-no-worse = rien de pire que { $severity }
question-no-worse-and-only = rien de pire que { $severity }, et seulement :
question-any-package = installe des paquets du registre, quels qu’ils soient
question-same-inside = { $does }, et de même pour d’autres dans l’espace de travail
question-same-built = { $does }, et de même pour d’autres produits de la compilation
question-same-temporary = { $does }, et de même pour d’autres dans les répertoires temporaires
question-rule = Cette règle serait ajoutée durablement aux règles personnelles :
question-no-rule = aucune règle écrite : { $why }

key-more = suite
key-choose = choisir
key-takes = valider
key-allows = autoriser
key-edit = modifier
key-deny-and-say = refuser, dire pourquoi
key-deny-and-end = refuser, arrêter l’agent
key-denies-and-sends = refuser et envoyer
key-try = essayer
key-explain = expliquer
key-back = retour
key-done = fini
key-new-line = nouvelle ligne
key-scroll = défiler
key-next-question = question suivante
key-closes = fermer

question-type-word = Ceci peut causer de grands dégâts. Pour l’exécuter, taper { $word } puis Entrée :
question-deny-and-tell = Refuser, et dire à { $who } :
question-stop = Refuser et arrêter { $who } : le demandeur reçoit SIGTERM, puis SIGKILL après 5 secondes. Ce qu’il n’a pas enregistré est perdu.
question-edit = Modifier la ligne. Elle sera jugée comme toute autre avant d’être exécutée.
question-not-the-word = ce n’est pas le mot
question-nothing-to-run = il n’y a rien à exécuter
question-nothing-changed = rien n’a changé

question-moment = un instant…
question-keys-held = un instant : les touches ne comptent pas encore
question-keys-early = touches tapées avant d’avoir pu lire, ignorées ; un instant
question-keys-in-burst = touches tapées trop vite, ignorées ; un instant, puis une touche
question-keys-for-nothing = ceci s’est perdu : Échap ferme
question-key-too-fast = touche trop rapide après le texte : la presser à nouveau
question-key-unknown = cette touche ne fait rien ici ; un instant
question-pasted = un texte collé n’est pas une réponse ; un instant
question-unseen = cette partie compte aussi : la lire, puis Entrée à nouveau
question-disturbed = un autre programme a écrit par-dessus : redessiné, à relire
question-disturbing = un autre programme a écrit ici ; un instant : touches sans effet

question-trying = Essai en cours, là où rien ne change : pas de réseau, pas de secrets, et les écritures sont mises de côté.
question-not-tried = L’essai n’a pas pu se faire : { $why }.
question-not-kept = Impossible de garder le résultat : { $why }. Rien n’a changé.
trial-ended = Essai : { $how }. Rien n’a changé.
trial-untried = Non essayé : { $what }.
trial-printed = Sortie :
trial-nothing = Rien ne changerait dans l’espace de travail.
trial-unreadable = Ce qui changerait est illisible : { $why }

answered-denied = refusé
answered-stopped = refusé, et l’agent arrêté
answered-denied-with = refusé, avec le message : { $message }
answered-once = autorisé une fois
answered-session = autorisé jusqu’à la fin de la session, dans d’autres lignes aussi
answered-session-line = cette même ligne autorisée jusqu’à la fin de la session
answered-always = autorisé durablement
answered-edited = remplacé par cette ligne : { $line }
answered-kept = effectué comme à l’essai
short-denied = refusé
short-once = une fois
short-session = session
short-always = toujours
short-edited = modifié
short-kept = gardé
