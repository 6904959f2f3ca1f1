/**
 * The fenced journal: an append-only record of what was done, per instance, which refuses a writer
 * that has been superseded.
 *
 * <p>A lease says who may work on an instance; its token goes with every write, and the {@link
 * io.leasehold.journal.Journal} compares it with the instance's <em>fence</em>, the highest token
 * it has admitted. {@link io.leasehold.journal.Ownership} does the steps in the one order that is
 * safe: acquire, fence, read, write.
 *
 * <p>Every rule of the contract has an id and a paragraph in SPEC-JOURNAL.md, and a test in {@code
 * leasehold-journal-tck}.
 */
@NullMarked
package io.leasehold.journal;

import org.jspecify.annotations.NullMarked;
