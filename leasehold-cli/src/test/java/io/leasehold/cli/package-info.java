/** The command line as its users meet it: real processes, on a real store. */
@NullMarked
package io.leasehold.cli;

import org.jspecify.annotations.NullMarked;
