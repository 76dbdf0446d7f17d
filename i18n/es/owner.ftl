change-save = Guardar
change-written = { $file } está escrito
change-not-made = Sin cambios
change-no-script = Sin JavaScript no se puede cambiar nada: un cambio se firma con una clave que no sale del navegador.
change-what = Lo que cambia
change-looking = Buscando…
change-place = línea { $line }, columna { $column }:

rules-intro = Las reglas propias, que cuentan junto a las incorporadas. Una regla trae sus ejemplos: líneas en las que salta y líneas en las que no.
rules-files = Archivos de reglas
rules-new = archivo nuevo
rules-where = Están en `{ $path }`.
rules-name = Nombre del archivo, sin `.toml`
rules-check = Comprobar
rules-try = Probar con el registro
rules-same = El archivo ya lo dice.
rules-not-yet = Se puede guardar cuando se cumplan todos sus ejemplos.
rules-save = Guardar estas reglas
rules-written = { $file } está escrito: sus reglas cuentan desde ahora
rules-no-examples = Sin ejemplos.
rules-holds = se cumple
rules-fails = falla
rules-tried = Probado con el registro
rules-no-change = No habría cambiado nada de la última semana: { $lines }.
rules-changes =
    { $count ->
        [one] Habría cambiado 1 decisión de la última semana. Probado: { $lines }.
       *[other] Habrían cambiado { $count } decisiones de la última semana. Probado: { $lines }.
    }
rules-lines =
    { $count ->
        [one] una línea
       *[other] { $count } líneas distintas
    }
rules-times = { $count } veces
rules-more = Y { $count } líneas más.
rules-runs = se ejecuta
rules-contained = se ejecuta cercada
rules-asked = se pregunta
rules-refused = se deniega

settings-intro = Lo que está en vigor, y de dónde viene. Los cambios se escriben en el archivo propio; lo que bloquea la política de la máquina se queda.
settings-directory = Como en el directorio
settings-home = directorio personal
settings-show = Mostrar
settings-broken = Los ajustes tienen errores, y toda línea se deniega hasta que se corrijan:
settings-files = Archivos, los últimos mandan
settings-not-there = (no existe)
settings-whole = El archivo propio entero
settings-changes = Mostrar lo que cambia
settings-general = General
settings-locked = La política de la máquina lo bloquea: `{ $where }`
settings-in-whole = Se cambia en el archivo entero.
settings-value = Valor
settings-remove = Quitar del archivo propio
settings-same = No cambia nada: el archivo propio ya lo dice.
settings-ignored = { $file } está escrito, pero no todo cuenta: { $what }
settings-default = por defecto
settings-session = sesión
settings-unset = sin definir

prompts-intro = Lo que se dice a un modelo de lenguaje cuando los ajustes hacen consultar uno. Una parte que no se cambia sigue las actualizaciones del programa.
prompts-parts = Partes
prompts-yours = { $part } (propia)
prompts-own = Texto propio, en `{ $path }`.
prompts-built-in = El texto es el incorporado.
prompts-text = Lo que se dice a un modelo
prompts-placeholders = Marcadores
prompts-needed = necesario
prompts-common = `{ $common }` representa lo que tienen en común los prompts de un tipo:
prompts-line = Mostrado con la línea
prompts-check = Comprobar y previsualizar
prompts-back = Volver al texto incorporado
prompts-remove = Quitar el texto propio
prompts-same = No cambia nada: eso ya se dice a un modelo.
prompts-preview = Lo que leería un modelo
prompts-again = { $part } es de nuevo el texto incorporado
measured-title = Modelos, medidos
measured-none = Aún no se ha medido ningún modelo. `guarded-sh judge eval ARCHIVO` pregunta a los modelos configurados por líneas que usted etiquetó, y no ejecuta nada.
measured-runs =
    { $count ->
        [one] se pregunta una vez por cada fila
       *[other] se pregunta { $count } veces por cada fila
    }
measured-so-far = { $done } de { $rows } filas están hechas:
measured-cut = Terminó antes de tiempo: { $done } de { $rows } filas estaban hechas.

agents-intro = Los agentes de esta máquina, y si se juzga lo que ejecutan. No se cree a ningún ajuste: se inicia lo que el agente iniciaría, y debe denegar lo que no es inofensivo.
agents-look = Examinarlos
agents-none = No se encontró ningún agente.
agents-shell = Shell
agents-hooks = Hooks
agents-guarded = vigilado
agents-not-guarded = no vigilado
agents-to-do = Por hacer:
agents-install = Instalar…
agents-uninstall = Desinstalar…
agents-change = Cambiar estos archivos
agents-installed = el guardián está instalado en { $agent }: cuenta desde su próximo inicio
agents-uninstalled = el guardián está retirado de { $agent }

suggest-title = Sugerencias
suggest-less = Lo que habría preguntado menos
suggest-look = Buscarlo en el registro
suggest-damaged = Una parte del registro está dañada y no se revisó.
suggest-none = Ningún cambio de ajustes habría ahorrado { $count } respuestas de los últimos 30 días que fueran todas sí.
suggest-yes =
    { $count ->
        [one] Lo que así se ejecutaría se permitió una vez y nunca se denegó:
       *[other] Lo que así se ejecutaría se permitió { $count } veces y nunca se denegó:
    }
suggest-nothing-else = De lo preguntado no habría pasado nada más.
suggest-others = También habría pasado lo que nadie respondió:
suggest-take = Aceptarla
suggest-write = Escribirlo en los ajustes propios
suggest-more = Y { $count } más.

try-intro = Una línea como la enviaría un agente. Se juzga mientras se teclea, y no se ejecuta nada.
try-rules = Las reglas se escriben y se prueban al lado.
try-directory = Directorio
try-other = Y si algo fuera distinto
try-profile = Perfil
try-as-it-is = como está
try-threshold = Umbral: la puntuación, de 0 a 100, desde la que las líneas se ejecutan sin más
try-rule = Una regla, o varias
try-judge = Juzgar
try-verdict = Cómo se juzga
try-now = Como está
try-then = Como estaría
try-mistakes = La regla no se puede usar:
try-runs = se ejecuta
try-contained = se ejecuta cercada
try-asks = pregunta
try-refused = se deniega
try-safe = seguro en { $score } de 100
try-terms = Perfil { $profile }, umbral { $threshold }, juzgada en { $micros } µs.
try-instead = En su lugar: `{ $line }`
try-plan = El plan: lo que se ejecutará, y lo que hace
try-nothing = Nada.
try-unread = Desconocido: la línea no se puede leer.
try-more = Y { $count } comandos más.
try-no-command = (una redirección o una asignación)
try-quieter = Lo que haría preguntar menos
try-share = Compartir como texto
try-shared = El juicio como texto
try-copy = Copiar
try-copied = Copiado.
try-copy-keys = Ctrl-C copia lo seleccionado.
