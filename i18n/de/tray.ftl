pause-begun = Pause für { $time }: Fragen werden nicht gemeldet, sie warten; `guarded-sh pause off` beendet sie
pause-over = keine Pause: Fragen werden gemeldet
pause-stands = Pause, noch { $time }
