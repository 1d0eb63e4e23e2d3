-- Times are microseconds since 1970 on the clock of the database. No index on columns that change, and half of each page
-- free: so a lock is acquired and released without writing an index (HOT updates).
CREATE TABLE IF NOT EXISTS holdfast_lease (
    name          text COLLATE "C" PRIMARY KEY,
    capacity      integer NOT NULL,
    claim         text,
    first_token   bigint NOT NULL,
    last_token    bigint NOT NULL,
    granted_at    bigint NOT NULL,
    ends_at       bigint NOT NULL,
    owner         text,
    next_claim    text,
    next_until    bigint NOT NULL DEFAULT 0,
    ended         text,
    queue         text NOT NULL DEFAULT ''
) WITH (fillfactor = 50, toast_tuple_target = 8160);

CREATE TABLE IF NOT EXISTS holdfast_lease_share (
    name        text COLLATE "C" NOT NULL,
    claim       text NOT NULL,
    units       integer NOT NULL,
    first_token bigint NOT NULL,
    last_token  bigint NOT NULL,
    granted_at  bigint NOT NULL,
    ends_at     bigint NOT NULL,
    owner       text NOT NULL,
    PRIMARY KEY (name, claim)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS holdfast_lease_layout (version integer PRIMARY KEY);
INSERT INTO holdfast_lease_layout VALUES (2) ON CONFLICT DO NOTHING;
