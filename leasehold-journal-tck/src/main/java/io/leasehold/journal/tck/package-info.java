/**
 * The conformance suite for journals, published so that anybody may prove a journal of their own.
 *
 * <p>The author of a journal extends {@link io.leasehold.journal.tck.JournalConformance} with one
 * small class that opens it. Every rule has an id and a paragraph in SPEC-JOURNAL.md.
 */
@NullMarked
package io.leasehold.journal.tck;

import org.jspecify.annotations.NullMarked;
