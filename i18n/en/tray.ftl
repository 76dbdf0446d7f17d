# The icon in the desktop's tray, and pauses, in which a person is told of no question.

## What the icon says: panels show it in one row. Menus cut long ones.

tray-idle = no questions are waiting
tray-waiting =
    { $count ->
        [one] 1 question waits
       *[other] { $count } questions wait
    }
tray-more =
    { $count ->
        [one] 1 more question
       *[other] { $count } more questions
    }
tray-open = Open the page
tray-pause-minutes = Pause for 15 minutes
tray-pause-hour = Pause for an hour
tray-go-on = Go on
tray-quit = Quit the icon
tray-failed = the page cannot be opened: { $why }

## Pauses: 40 columns at most for how one stands.

pause-begun = paused for { $time }: nobody is told of questions, and they wait; `guarded-sh pause off` ends it
pause-over = no pause: you are told of questions
pause-stands = paused, { $time } left
