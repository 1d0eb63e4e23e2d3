-- Times are microseconds since 1970 on the clock of the machine.
CREATE TABLE IF NOT EXISTS holdfast_lease (
    name          TEXT PRIMARY KEY,
    capacity      INTEGER NOT NULL,
    claim         TEXT,
    first_token   INTEGER NOT NULL,
    last_token    INTEGER NOT NULL,
    granted_at    INTEGER NOT NULL,
    ends_at       INTEGER NOT NULL,
    owner         TEXT,
    next_claim    TEXT,
    next_until    INTEGER NOT NULL DEFAULT 0,
    ended         TEXT
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS holdfast_lease_share (
    name        TEXT NOT NULL,
    claim       TEXT NOT NULL,
    units       INTEGER NOT NULL,
    first_token INTEGER NOT NULL,
    last_token  INTEGER NOT NULL,
    granted_at  INTEGER NOT NULL,
    ends_at     INTEGER NOT NULL,
    owner       TEXT NOT NULL,
    PRIMARY KEY (name, claim)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS holdfast_lease_layout (version INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO holdfast_lease_layout VALUES (2);
