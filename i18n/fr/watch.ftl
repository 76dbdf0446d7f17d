short-waits = attend
short-waits-for = reste { $time }
short-left = parti
short-seconds = { $count }s
short-minutes = { $count }m
short-hours = { $count }h

watch-open = ouvertes { $count }
watch-history = historique { $count }
watch-waiting =
    { $hosts ->
        [one] { $waiting } en attente · { $hosts } hôte
       *[other] { $waiting } en attente · { $hosts } hôtes
    }
watch-no-history = aucune réponse récente
watch-no-host = aucun hôte actif : `guarded-sh serve` en est un, et chaque `guarded-sh run`
watch-no-questions = aucune question en attente
watch-shows-all = Entrée montre tout
watch-gone = (disparu)
watch-why-where = { $why } (dans { $place })
watch-too-small = { $open } ouvertes ; il faut { $columns } sur { $rows }
watch-not-all = tout n’est pas montré : { $why }
watch-keys-in-burst = touches tapées trop vite, ignorées ; en presser une
watch-asker-ended = le demandeur, ou son hôte, est terminé
watch-host-ended = l’hôte est terminé
watch-not-taken = la réponse n’a pas été prise : { $why }

watch-foot-open = Entrée ouvrir · d refuser · h historique · ? aide · q quitter
watch-foot-none-open = h historique · ? aide · q quitter
watch-foot-history = Entrée ouvrir · Échap retour · ? aide · q quitter
watch-foot-no-history = Échap retour · ? aide · q quitter
watch-foot-help = une touche pour revenir
watch-help-choose = choisir une question ; PgUp PgDn Home End vont plus loin
watch-help-open = l’ouvrir : tout ce qu’il y a à en dire, et chaque réponse
watch-help-deny = la refuser aussitôt
watch-help-history = ce qui a été répondu récemment, et retour
watch-help-quit = quitter ; les questions restent ouvertes

answer-permitted-once = autorisé une fois : { $line }
answer-permitted-session = autorisé pour la session : { $line }
answer-permitted-line = autorisé pour la session, cette ligne ici : { $line }
answer-denied = refusé : { $line }
answer-stopped = refusé, et l’agent doit s’arrêter : { $line }
answer-critical-once = c’est critique : un oui ne vaut que cette seule fois
answer-not-permitted = non autorisé ; la question reste ouverte
answer-type-word = Taper `{ $word }` pour l’exécuter une fois, autre chose pour la laisser :
answer-no-such = aucune question ouverte n’a l’identifiant { $id }
answer-lists = guarded-sh pending les liste

run-cannot-show = { $who } veut exécuter '{ $line }', et ce terminal ne peut pas montrer la question (TERM) : y répondre dans un autre avec `guarded-sh watch`
run-gave-up = le demandeur n’attend plus
run-answered-elsewhere = réponse donnée ailleurs : { $how }
run-needs-none = le demandeur est terminé, ou n’a plus besoin de réponse
run-ended = le demandeur est terminé

notice-asks = guarded-sh demande : { $severity } ({ $id })
notice-warns = guarded-sh avertit
notice-open = Ouvrir

practice-wanted = Une question pour s’exercer ? Rien n’est exécuté, quelle que soit la réponse.
practice-said = réponse : { $how }
practice-left = laissée ouverte : une vraie le resterait, et son agent serait refusé pour l’instant
