# The icon in the desktop's tray, and pauses, in which a person is told of no question.

## Pauses: 40 columns at most for how one stands.

pause-begun = paused for { $time }: nobody is told of questions, and they wait; `guarded-sh pause off` ends it
pause-over = no pause: you are told of questions
pause-stands = paused, { $time } left
