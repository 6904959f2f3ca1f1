/**
 * The decisions of an election and of a keeper, as pure state machines: no thread, no clock, no
 * store and no log. {@code io.leasehold.election} and {@code io.leasehold.keeper} drive them with
 * real threads, the simulator with virtual time.
 *
 * <p>These classes are public for the simulator. They are not API: users need none of them.
 *
 * <p>{@link io.leasehold.campaign.Hold} is the rule that makes a term safe.
 */
@NullMarked
package io.leasehold.campaign;

import org.jspecify.annotations.NullMarked;
