/**
 * The conformance suite for lease stores, published so that anybody may prove a store of their own.
 *
 * <p>A store author extends {@link io.leasehold.tck.LeaseStoreConformance} with one small class
 * that opens the store. Every rule has an id and a paragraph in SPEC.md.
 */
@NullMarked
package io.leasehold.tck;

import org.jspecify.annotations.NullMarked;
