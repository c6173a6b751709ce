/**
 * Chooses the next load so that each has its share at any time, as closely as whole calls allow (smooth weighted round
 * robin). It is not random, so two tests offer the same work.
 *
 * @returns a function that returns the index of the next load
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

/** The average number of entities per call of the mix, from the averages of its loads. */
export function entitiesOfMix(shares: readonly number[], means: readonly number[]): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.reduce((sum, share, i) => sum + (share * (means[i] ?? 0)) / total, 0);
}
