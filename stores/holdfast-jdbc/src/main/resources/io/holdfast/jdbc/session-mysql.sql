-- The holder and the last token of each name; the locks themselves are those of GET_LOCK. Names are UTF-8 as bytes, because
-- every collation treats some different names as equal. Times are microseconds since 1970 on the clock of the database.
CREATE TABLE IF NOT EXISTS holdfast_session (
    name        VARBINARY(512) NOT NULL,
    slot        BIGINT NOT NULL,
    lock_key    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    session     BIGINT,
    claim       VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin,
    units       INT NOT NULL,
    capacity    INT NOT NULL,
    first_token BIGINT NOT NULL,
    last_token  BIGINT NOT NULL,
    granted_at  BIGINT NOT NULL,
    lease       BIGINT NOT NULL,
    owner       TEXT CHARACTER SET utf8mb4,
    PRIMARY KEY (name, slot)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS holdfast_session_layout (version INT NOT NULL PRIMARY KEY) ENGINE = InnoDB;
INSERT IGNORE INTO holdfast_session_layout VALUES (1);
