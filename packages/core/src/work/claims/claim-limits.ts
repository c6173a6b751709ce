/** Attempts to claim a value that other programs claim at the same time, and transactions that are sent in vain. */
export const maxRounds = 10;
