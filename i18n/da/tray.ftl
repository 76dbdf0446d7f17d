pause-begun = pause i { $time }: spørgsmål meldes ikke, de venter; `guarded-sh pause off` afslutter den
pause-over = ingen pause: spørgsmål meldes
pause-stands = pause, { $time } tilbage
