package io.leasehold.journal;

/**
 * What one look for abandoned instances came to.
 *
 * @param seen how many were listed
 * @param taken how many were taken and given to the work
 * @param contended how many were somebody else's: held, fenced out, or ended meanwhile
 * @param failed how many could not be taken for want of an answer, or whose work threw
 */
public record RecoveryReport(int seen, int taken, int contended, int failed) {}
