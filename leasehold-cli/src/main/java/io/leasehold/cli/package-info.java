/** The command line: {@code leasehold run|lead|status|list|release|watch|reclaim|verify}. */
@NullMarked
package io.leasehold.cli;

import org.jspecify.annotations.NullMarked;
