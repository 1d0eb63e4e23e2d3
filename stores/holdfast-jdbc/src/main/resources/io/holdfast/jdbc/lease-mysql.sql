-- Times are microseconds since 1970 on the clock of the database. Names are UTF-8 as bytes, because every collation treats
-- some different names as equal; to read them: SELECT CONVERT(name USING utf8mb4), owner FROM holdfast_lease.
CREATE TABLE IF NOT EXISTS holdfast_lease (
    name          VARBINARY(512) NOT NULL PRIMARY KEY,
    capacity      INT NOT NULL,
    claim         VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin,
    first_token   BIGINT NOT NULL,
    last_token    BIGINT NOT NULL,
    granted_at    BIGINT NOT NULL,
    ends_at       BIGINT NOT NULL,
    owner         TEXT CHARACTER SET utf8mb4,
    next_claim    VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin,
    next_until    BIGINT NOT NULL DEFAULT 0,
    ended         MEDIUMTEXT CHARACTER SET ascii
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS holdfast_lease_share (
    name        VARBINARY(512) NOT NULL,
    claim       VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    units       INT NOT NULL,
    first_token BIGINT NOT NULL,
    last_token  BIGINT NOT NULL,
    granted_at  BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL,
    owner       TEXT CHARACTER SET utf8mb4 NOT NULL,
    PRIMARY KEY (name, claim)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS holdfast_lease_layout (version INT NOT NULL PRIMARY KEY) ENGINE = InnoDB;
INSERT IGNORE INTO holdfast_lease_layout VALUES (2);
