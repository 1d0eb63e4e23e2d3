package io.holdfast.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostgresHostTest {

    @Test
    void statementsAreCountedWhateverTheDriverCallsThem() {
        assertThat(PostgresHost.read("""
                        5/17 LOG:  statement: SELECT 1
                        5/18 LOG:  execute <unnamed>: SELECT
                        \t2
                        5/18 DETAIL:  Parameters: $1 = '7'
                        0/0 LOG:  checkpoint starting: time
                        """)).isEqualTo(new SqlHost.Tally(2, 2));
    }

    @Test
    void statementsOfOneTransactionAreOneCommit() {
        assertThat(PostgresHost.read("""
                        5/17 LOG:  execute <unnamed>: BEGIN
                        6/17 LOG:  execute S_1: UPDATE a SET b = 1
                        5/17 LOG:  execute S_1: UPDATE a SET b = 1
                        5/17 LOG:  execute S_2: COMMIT
                        """)).isEqualTo(new SqlHost.Tally(4, 2));
    }

    @Test
    void settingUpAConnectionDoesNotCount() {
        assertThat(PostgresHost.read("""
                        5/17 LOG:  execute <unnamed>:  SET lock_timeout = 5000
                        5/18 LOG:  statement: SET application_name = 'holdfast'
                        """)).isEqualTo(new SqlHost.Tally(0, 0));
    }
}
