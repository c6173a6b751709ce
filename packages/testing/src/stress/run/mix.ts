/**
 * Which load is due next, so that at any time each had as much as its share says, as nearly as whole calls can (smooth
 * weighted round robin): nothing is drawn by chance, and two tests offer the same.
 *
 * @returns gives the index of the next load
 */
export function mixOf(shares: readonly number[]): () => number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const credit = shares.map(() => 0);
  return () => {
    let next = 0;
    for (const [i, share] of shares.entries()) {
      credit[i] = (credit[i] ?? 0) + share;
      if ((credit[i] ?? 0) > (credit[next] ?? 0)) next = i;
    }
    credit[next] = (credit[next] ?? 0) - total;
    return next;
  };
}

/** Entities that one call of the mix returns or writes on average, where each load does so many. */
export function entitiesOfMix(shares: readonly number[], means: readonly number[]): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.reduce((sum, share, i) => sum + (share * (means[i] ?? 0)) / total, 0);
}
