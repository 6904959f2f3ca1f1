/**
 * Leases in a relational database: SQLite (the embedded default), PostgreSQL, MySQL and MariaDB, as
 * dialects of one {@link io.leasehold.jdbc.JdbcLeaseStore}.
 *
 * <p>How a call travels: {@code JdbcLeaseStore} checks the arguments and turns the call into {@code
 * Question}s, one per name. {@code Database} takes a connection, has the dialect's statements run
 * until every question has its answer, retries what the server asks to be retried, and says what is
 * known when there is no answer. A {@code Dialect} is the text of the statements and the reading of
 * the driver's errors. The rules of the contract are in {@code Question} and in the {@code WHERE}
 * clauses, nowhere else.
 */
@NullMarked
package io.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
