-- Times are microseconds since 1970 on the clock of the database. Names are UTF-8 as bytes, whatever IGNORECASE says.
CREATE TABLE IF NOT EXISTS holdfast_lease (
    name          VARBINARY(512) PRIMARY KEY,
    capacity      INTEGER NOT NULL,
    claim         VARCHAR(40),
    first_token   BIGINT NOT NULL,
    last_token    BIGINT NOT NULL,
    granted_at    BIGINT NOT NULL,
    ends_at       BIGINT NOT NULL,
    owner         VARCHAR,
    next_claim    VARCHAR(40),
    next_until    BIGINT DEFAULT 0 NOT NULL,
    ended         VARCHAR
);

CREATE TABLE IF NOT EXISTS holdfast_lease_share (
    name        VARBINARY(512) NOT NULL,
    claim       VARCHAR(40) NOT NULL,
    units       INTEGER NOT NULL,
    first_token BIGINT NOT NULL,
    last_token  BIGINT NOT NULL,
    granted_at  BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL,
    owner       VARCHAR NOT NULL,
    PRIMARY KEY (name, claim)
);

CREATE TABLE IF NOT EXISTS holdfast_lease_layout (version INTEGER PRIMARY KEY);
MERGE INTO holdfast_lease_layout VALUES (2);
