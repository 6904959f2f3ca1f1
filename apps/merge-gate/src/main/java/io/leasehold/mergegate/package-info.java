/** The merge gate: no required check blocks a pull request for ever because its run died. */
@NullMarked
package io.leasehold.mergegate;

import org.jspecify.annotations.NullMarked;
