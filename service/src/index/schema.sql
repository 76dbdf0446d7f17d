-- The index of the record. All of it is made of the records' files, and can be made again: another version of this replaces it.

-- The files of the record, and how far they were read.
CREATE TABLE days (
    name     TEXT PRIMARY KEY,
    inode    INTEGER NOT NULL,
    size     INTEGER NOT NULL,
    written  INTEGER,
    bytes    INTEGER NOT NULL,
    lines    INTEGER NOT NULL,
    sound    INTEGER NOT NULL,
    hash     TEXT NOT NULL,
    hash_end INTEGER NOT NULL
) WITHOUT ROWID;

-- One row: how far the chain was followed (JSON), how many calls there are, and whether their text can be searched.
CREATE TABLE state (
    chain  TEXT NOT NULL,
    calls  INTEGER NOT NULL,
    filled INTEGER NOT NULL
);

-- Agents, sessions, directories and rules, each once.
CREATE TABLE texts (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);

-- A call: `id` is what the agent calls it, `ran` the file in which a witness says what ran, `first` is the number of its first record, and `last` that of its last. Times are in microseconds since 1970, `waited` in milliseconds.
CREATE TABLE calls (
    first          INTEGER PRIMARY KEY,
    last           INTEGER NOT NULL,
    time           INTEGER NOT NULL,
    ended          INTEGER NOT NULL,
    agent          INTEGER,
    session        INTEGER,
    project        INTEGER,
    line           TEXT NOT NULL,
    bytes          INTEGER NOT NULL,
    action         TEXT NOT NULL,
    severity       INTEGER NOT NULL,
    first_severity INTEGER NOT NULL,
    decided_by     TEXT NOT NULL,
    mode           TEXT NOT NULL,
    door           TEXT NOT NULL,
    event          TEXT,
    outcome        TEXT,
    waited         INTEGER,
    flags          INTEGER NOT NULL,
    id             TEXT,
    ran            TEXT,
    asked          INTEGER NOT NULL,
    told           INTEGER NOT NULL,
    aside          INTEGER NOT NULL
);

-- What was found about a call, each rule once.
CREATE TABLE findings (
    call     INTEGER NOT NULL,
    rule     INTEGER NOT NULL,
    severity INTEGER NOT NULL,
    PRIMARY KEY (call, rule)
) WITHOUT ROWID;

-- Sums that are kept as calls come. `last` is the first record of the session's newest call, `first` that of the hour's oldest.
CREATE TABLE sessions (
    session INTEGER PRIMARY KEY,
    agent   INTEGER,
    project INTEGER,
    last    INTEGER NOT NULL,
    began   INTEGER NOT NULL,
    ended   INTEGER NOT NULL,
    calls   INTEGER NOT NULL,
    asked   INTEGER NOT NULL,
    refused INTEGER NOT NULL
);
CREATE TABLE hours (
    hour      INTEGER PRIMARY KEY,
    first     INTEGER NOT NULL,
    calls     INTEGER NOT NULL,
    asked     INTEGER NOT NULL,
    allowed   INTEGER NOT NULL,
    contained INTEGER NOT NULL,
    to_agent  INTEGER NOT NULL,
    refused   INTEGER NOT NULL,
    shadowed  INTEGER NOT NULL,
    judged    INTEGER NOT NULL,
    waited    INTEGER NOT NULL
);
CREATE TABLE rules (
    hour  INTEGER NOT NULL,
    rule  INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    PRIMARY KEY (hour, rule)
) WITHOUT ROWID;

-- The text of lines, by three characters each, so that parts of words, of paths and of what is written without spaces are found. It holds only which calls have
-- them: whether they stand beside one another is looked at in the line.
CREATE VIRTUAL TABLE lines USING fts5 (
    line, content = 'calls', content_rowid = 'first', tokenize = 'trigram', detail = none, columnsize = 0
);
INSERT INTO lines (lines, rank) VALUES ('automerge', 4);
INSERT INTO state VALUES ('', 0, 0);
