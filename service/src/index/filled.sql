-- What is made once all calls are there: sorted once, it costs less than kept in order.
CREATE INDEX IF NOT EXISTS calls_session ON calls (session);
CREATE INDEX IF NOT EXISTS calls_project ON calls (project);
CREATE INDEX IF NOT EXISTS calls_agent ON calls (agent);
-- What is rare is found by itself.
CREATE INDEX IF NOT EXISTS calls_asked ON calls (first) WHERE asked = 1;
CREATE INDEX IF NOT EXISTS calls_held ON calls (action) WHERE action <> 'allow';
CREATE INDEX IF NOT EXISTS calls_medium ON calls (first) WHERE severity >= 1;
CREATE INDEX IF NOT EXISTS calls_high ON calls (first) WHERE severity >= 2;
CREATE INDEX IF NOT EXISTS calls_critical ON calls (first) WHERE severity >= 3;
INSERT INTO lines (lines, rank) VALUES ('hashsize', 33554432);
INSERT INTO lines (lines) VALUES ('rebuild');
INSERT INTO lines (lines) VALUES ('optimize');
INSERT INTO lines (lines, rank) VALUES ('hashsize', 1048576);
UPDATE state SET filled = 1;
