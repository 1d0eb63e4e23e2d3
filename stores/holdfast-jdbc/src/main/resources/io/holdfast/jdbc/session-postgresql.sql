-- The holder and the last token of each name; the locks themselves are advisory locks of sessions. Slot 0 is for an exclusive
-- holder, the others are for readers. Times are microseconds since 1970 on the clock of the database.
CREATE TABLE IF NOT EXISTS holdfast_session (
    name        text COLLATE "C" NOT NULL,
    slot        bigint NOT NULL,
    lock_key    bigint NOT NULL,
    session     bigint,
    claim       text,
    units       integer NOT NULL,
    capacity    integer NOT NULL,
    first_token bigint NOT NULL,
    last_token  bigint NOT NULL,
    granted_at  bigint NOT NULL,
    lease       bigint NOT NULL,
    owner       text,
    PRIMARY KEY (name, slot)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS holdfast_session_layout (version integer PRIMARY KEY);
INSERT INTO holdfast_session_layout VALUES (1) ON CONFLICT DO NOTHING;
