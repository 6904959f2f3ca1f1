package io.leasehold.journal;

/**
 * What a purge did.
 *
 * @param held instances that were due but still owe an event
 * @param completed instances deleted that had ended well
 * @param failed instances deleted that had ended in another way
 * @param events published events deleted of instances that stay
 */
public record PurgeReport(long held, long completed, long failed, long events) {}
