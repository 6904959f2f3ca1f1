/**
 * What fault tests need of a network: a proxy that delays, stalls, loses answers, cuts, refuses.
 */
@NullMarked
package io.leasehold.tck.net;

import org.jspecify.annotations.NullMarked;
