/**
 * Fences for SQL, and the journal in PostgreSQL, MariaDB and SQLite.
 *
 * <p>{@link io.leasehold.journal.sql.Fence} and {@link io.leasehold.journal.sql.RowFence} guard
 * what an application writes in its own transactions; {@link io.leasehold.journal.sql.SqlJournal}
 * keeps the journal, in tables that {@link io.leasehold.journal.sql.JournalSchema} makes.
 */
@NullMarked
package io.leasehold.journal.sql;

import org.jspecify.annotations.NullMarked;
