/**
 * A net as a library: passes over everything that changed lately, run by the one elected replica,
 * that pick up what an event path dropped.
 */
@NullMarked
package io.leasehold.sweep;

import org.jspecify.annotations.NullMarked;
