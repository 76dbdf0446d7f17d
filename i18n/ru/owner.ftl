change-save = Сохранить
change-written = { $file } записан
change-not-made = Не изменено
change-no-script = Без JavaScript ничего не изменить: изменение подписывается ключом, который не покидает браузер.
change-what = Что изменится
change-looking = Идёт поиск…
change-place = строка { $line }, столбец { $column }:

rules-intro = Собственные правила; они действуют наряду со встроенными. У правила есть примеры: строки, на которых оно срабатывает, и строки, на которых нет.
rules-files = Файлы правил
rules-new = новый файл
rules-where = Они лежат в `{ $path }`.
rules-name = Имя файла без `.toml`
rules-check = Проверить
rules-try = Испытать на журнале
rules-same = В файле это уже есть.
rules-not-yet = Сохранить можно, когда все примеры верны.
rules-save = Сохранить правила
rules-written = { $file } записан: правила действуют с этого момента
rules-no-examples = Примеров нет.
rules-holds = верно
rules-fails = неверно
rules-tried = Испытание на журнале
rules-no-change = За последнюю неделю ничего не изменилось бы: { $lines }.
rules-changes =
    { $count ->
        [one] За последнюю неделю изменилось бы { $count } решение. Испытано: { $lines }.
        [few] За последнюю неделю изменилось бы { $count } решения. Испытано: { $lines }.
       *[many] За последнюю неделю изменилось бы { $count } решений. Испытано: { $lines }.
    }
rules-lines =
    { $count ->
        [one] { $count } строка
        [few] { $count } разные строки
       *[many] { $count } разных строк
    }
rules-times =
    { $count ->
        [few] { $count } раза
       *[many] { $count } раз
    }
rules-more = И ещё строк: { $count }.
rules-runs = выполняется
rules-contained = выполняется в ограде
rules-asked = задаётся вопрос
rules-refused = отклоняется

settings-intro = Что действует и откуда оно взято. Изменения записываются в собственный файл; то, что закрыто политикой машины, остаётся.
settings-directory = Как в каталоге
settings-home = домашний каталог
settings-show = Показать
settings-broken = В настройках ошибки, и до исправления отклоняется каждая строка:
settings-files = Файлы, последующие важнее
settings-not-there = (нет)
settings-whole = Собственный файл целиком
settings-changes = Показать изменения
settings-general = Общее
settings-locked = Закрыто политикой машины: `{ $where }`
settings-in-whole = Изменяется в файле целиком.
settings-value = Значение
settings-remove = Убрать из собственного файла
settings-same = Ничего не изменится: в собственном файле это уже есть.
settings-ignored = { $file } записан, но действует не всё: { $what }
settings-default = по умолчанию
settings-session = сеанс
settings-unset = не задано

prompts-intro = Что говорится языковой модели, если настройки велят её спрашивать. Неизменённая часть следует обновлениям программы.
prompts-parts = Части
prompts-yours = { $part } (своя)
prompts-own = Свой текст, в `{ $path }`.
prompts-built-in = Текст встроенный.
prompts-text = Что говорится модели
prompts-placeholders = Подстановки
prompts-needed = обязательна
prompts-common = `{ $common }` заменяет общее для промптов одного вида:
prompts-line = Показ на строке
prompts-check = Проверить и показать
prompts-back = Вернуть встроенный текст
prompts-remove = Удалить свой текст
prompts-same = Ничего не изменится: это уже говорится модели.
prompts-preview = Что прочитала бы модель
prompts-again = { $part }: снова встроенный текст
measured-title = Измерение моделей
measured-none = Ещё ни одна модель не измерена. `guarded-sh judge eval FILE` спрашивает настроенные модели о строках, которые вы разметили, и ничего не запускает.
measured-runs =
    { $count ->
        [one] о каждой строке спрошено { $count } раз
        [few] о каждой строке спрошено { $count } раза
       *[other] о каждой строке спрошено { $count } раз
    }
measured-so-far = Готово строк: { $done } из { $rows }:
measured-cut = Прервано раньше конца: готово строк { $done } из { $rows }.

agents-intro = Агенты на этой машине и проверяется ли то, что они выполняют. Настройкам на слово не верят: запускается то, что запустил бы агент, и оно должно отклонить всё, что не безобидно.
agents-look = Осмотреть
agents-none = Агентов не найдено.
agents-shell = Оболочка
agents-hooks = Хуки
agents-guarded = под защитой
agents-not-guarded = без защиты
agents-to-do = Сделать:
agents-install = Установить…
agents-uninstall = Удалить…
agents-change = Изменить эти файлы
agents-installed = страж установлен в { $agent }: он действует со следующего запуска
agents-uninstalled = страж убран из { $agent }

suggest-title = Предложения
suggest-less = Что убавило бы вопросов
suggest-look = Найти по журналу
suggest-damaged = Часть журнала повреждена и не просмотрена.
suggest-none = Никакое изменение настроек не избавило бы от ответов последних 30 дней (хотя бы { $count }), которые все были «да».
suggest-yes =
    { $count ->
        [one] То, что тогда выполнялось бы, разрешено { $count } раз и ни разу не отклонено:
        [few] То, что тогда выполнялось бы, разрешено { $count } раза и ни разу не отклонено:
       *[many] То, что тогда выполнялось бы, разрешено { $count } раз и ни разу не отклонено:
    }
suggest-nothing-else = Из того, о чём спрашивалось, больше ничего не прошло бы.
suggest-others = Прошло бы и то, на что никто не ответил:
suggest-take = Принять
suggest-write = Записать в собственные настройки
suggest-more = И ещё { $count }.

try-intro = Строка, какой её прислал бы агент. Она проверяется по мере набора, и ничего не выполняется.
try-rules = Правила пишут и испытывают рядом.
try-directory = Каталог
try-other = А если бы что-то было иначе
try-profile = Профиль
try-as-it-is = как есть
try-threshold = Порог: оценка от 0 до 100, с которой строки выполняются сразу
try-rule = Одно правило или несколько
try-judge = Проверить
try-verdict = Результат проверки
try-now = Как есть
try-then = Как было бы
try-mistakes = Правило непригодно:
try-runs = выполняется
try-contained = выполняется в ограде
try-asks = спрашивает
try-refused = отклоняется
try-safe = безопасность { $score } из 100
try-terms = Профиль { $profile }, порог { $threshold }, проверено за { $micros } мкс.
try-instead = Вместо этого: `{ $line }`
try-plan = План: что будет выполнено и что это делает
try-nothing = Ничего.
try-unread = Неизвестно: строку не прочитать.
try-more = И ещё команд: { $count }.
try-no-command = (перенаправление или присваивание)
try-quieter = Что убавило бы вопросов
try-share = Поделиться текстом
try-shared = Результат проверки текстом
try-copy = Копировать
try-copied = Скопировано.
try-copy-keys = Ctrl-C копирует выделенное.
