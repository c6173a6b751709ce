/**
 * The known name that is closest to a misspelt one: at most two letters are wrong, missing, added or exchanged.
 * Undefined if no name is that close. Letter case is ignored.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wrong = given.toLowerCase();
  const most = Math.min(2, Math.floor(wrong.length / 3));
  const ranked = known
    .map((name) => ({ name, distance: distanceOf(wrong, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** The number of single edits from one text to another (optimal string alignment distance). */
function distanceOf(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      const isExchanged = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isExchanged) least = Math.min(least, at(beforeLast, j - 2) + 1);
      row.push(least);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

const at = (row: readonly number[], index: number): number => row[index] as number;
