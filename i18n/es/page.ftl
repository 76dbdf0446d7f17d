page-skip = Ir al contenido
page-pages = Páginas
page-leave = Salir
page-the-line = La línea
page-now = Ahora
page-live = En vivo
page-transcripts = Transcripciones
page-rules = Reglas
page-settings = Ajustes
page-prompts = Prompts
page-agents = Agentes
page-sessions = Sesiones
page-overview = Resumen
page-history = Historial
page-try = Pruebas

now-no-key = Este navegador puede mirar, pero no responder: no tiene clave. Para vincularlo, abrir la página con un código nuevo.
now-no-script = Sin JavaScript, esta página muestra el estado al cargarse y no puede responder.
now-empty = Nada espera respuesta.
now-no-host = No se sigue ninguna sesión: iniciar un agente con `guarded-sh run`, o el servicio con `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] Se sigue un anfitrión.
       *[other] Se siguen { $count } anfitriones.
    }
now-answered = Respondidas hace poco
now-question = Pregunta { $id }
now-in = en
now-waits = en espera
now-left = ya nadie espera: un sí vale para el próximo intento
now-trying = Se está probando…
now-deny = Denegar
now-once = Permitir una vez
now-try = Probar primero
now-keep = Conservar el resultado
now-type-word = Teclear `{ $word }` para ejecutarla una vez
now-more = Denegar con un mensaje, o cambiar la línea
now-more-stop = Denegar con un mensaje, terminar el agente o cambiar la línea
now-stop = Denegar y terminar el agente
now-together = { $count } preguntas de { $commands }: responder juntas
now-deny-each = Denegar cada una
now-once-each = Permitir cada una una vez
now-looks = Desde aquí se puede mirar, pero no responder: así lo dice `page.remote.answer` en los ajustes.
now-message = Mensaje para el agente
now-deny-with = Denegar con este mensaje
now-edit = Línea que se juzga en su lugar
now-judge = Hacer juzgar esta línea
now-session = Permitir para la sesión
now-allow-this = Permitir esto para la sesión
now-always = Permitir siempre: se escribe esta regla
now-write = Escribir esta regla y permitir

live-filter = Filtro
live-text = Texto
live-agent = Agente
live-session = Sesión
live-project = Proyecto
live-action = Acción
live-least = Al menos
live-any = todas
live-pause = Pausa
live-no-script = Sin JavaScript, esta página muestra las últimas llamadas en el momento de cargarse.
action-allow = permitido
action-contain = cercado
action-ask = preguntado
action-deny = denegado

files-title = Archivos
files-link = Qué fue de los archivos
files-from-undo = Lo que undo guardó antes de las líneas, junto a lo que hay ahora. Los archivos que se cambian sin una línea del shell no están entre ellos.
files-nothing-kept = Undo no guardó nada antes de estas líneas.
files-as-they-were = Todo está como estaba.
files-made = creado
files-changed = cambiado
files-deleted = borrado
files-dressed = otros permisos u otra fecha
files-more =
    { $count ->
        [one] No se muestra 1 ruta más.
       *[other] No se muestran { $count } rutas más.
    }
files-lines =
    { $count ->
        [one] No se muestra 1 línea más.
       *[other] No se muestran { $count } líneas más.
    }
files-unread = No leído: { $what }

rows-calls = Llamadas
rows-when = Cuándo
rows-agent = Agente
rows-severity = Gravedad
rows-happened = Qué pasó
rows-line = Línea

script-units = s min h
script-unknown = este navegador ya no es conocido aquí
script-no-key = este navegador no tiene clave: para vincularlo, abrir la página con un código nuevo
script-not-taken = No aceptado
script-unreached = No se alcanza la página en este momento: lo que se muestra puede ser antiguo.
