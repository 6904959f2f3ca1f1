/** The conformance suite against a store that was named by its URL. */
@NullMarked
package io.leasehold.cli.verify;

import org.jspecify.annotations.NullMarked;
