package io.holdfast.soak;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of {@link SqlData}, seen from outside. */
final class SqlTables {

    private SqlTables() {}

    static void create(String url, Names names) {
        try (Connection connection = Database.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE soak_data (name VARCHAR(40) PRIMARY KEY, token BIGINT NOT NULL,"
                    + " length BIGINT NOT NULL)");
            statement.execute(
                    "CREATE TABLE soak_entry (name VARCHAR(40) NOT NULL, place BIGINT NOT NULL,"
                            + " token BIGINT NOT NULL, id VARCHAR(100) NOT NULL, seen BIGINT NOT NULL, PRIMARY KEY (name, place))");
            for (String name : names.capacities().keySet()) {
                statement.execute("INSERT INTO soak_data VALUES ('" + name + "', 0, 0)");
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    static Map<String, List<FencedWrites.Entry>> written(String url, Names names) {
        Map<String, List<FencedWrites.Entry>> data = new TreeMap<>();
        try (Connection connection = Database.connect(url);
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT token, id, seen FROM soak_entry WHERE name = ? ORDER BY place")) {
            for (String name : names.capacities().keySet()) {
                statement.setString(1, name);
                data.put(name, entries(statement));
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
        return data;
    }

    private static List<FencedWrites.Entry> entries(PreparedStatement statement) throws SQLException {
        List<FencedWrites.Entry> entries = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                entries.add(new FencedWrites.Entry(rows.getLong(1), rows.getString(2), rows.getLong(3)));
            }
        }
        return entries;
    }
}
