/**
 * Every outgoing HTTP request, counted as it is sent, by host, API and lane.
 *
 * <p>{@link io.leasehold.http.RequestMeter} counts; {@link io.leasehold.http.Lane} says on whose
 * behalf a request is sent; the adapters (one package per client: {@code okhttp}, {@code jdk},
 * {@code apache}) tell the meter what the client really puts on the wire.
 */
@NullMarked
package io.leasehold.http;

import org.jspecify.annotations.NullMarked;
