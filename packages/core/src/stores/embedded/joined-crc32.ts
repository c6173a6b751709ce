/** The polynomial of CRC-32 (ISO 3309). As in all polynomials here, the highest bit holds the lowest power. */
const polynomial = 0xedb88320;

/**
 * The CRC-32 of two consecutive parts, computed from the sums of both without reading them again.
 *
 * A CRC is a remainder of polynomials over two numbers, so bytes after a part multiply its sum by a power of x.
 *
 * @param lengthOfSecond - in bytes
 */
export const joinedCrc32 = (first: number, second: number, lengthOfSecond: number): number =>
  (product(first, powerBehind(lengthOfSecond)) ^ second) >>> 0;

/** x to the 8 times 2 to the i, for each i. */
const powers: readonly number[] = squaresOf(1 << 23);

/** Consecutive long rows often have the same length. */
let last = { length: 0, power: 1 << 31 };

/** x to the power of 8 × `length`. */
function powerBehind(length: number): number {
  if (last.length === length) return last.power;
  let power = 1 << 31;
  for (let i = 0, rest = length; rest > 0; i++, rest = Math.floor(rest / 2))
    if (rest % 2 === 1) power = product(power, powers[i] as number);
  last = { length, power };
  return power;
}

function squaresOf(first: number): number[] {
  const squares = [first];
  while (squares.length < 32) {
    const square = squares.at(-1) as number;
    squares.push(product(square, square));
  }
  return squares;
}

/** The remainder of the product of two polynomials. */
function product(a: number, b: number): number {
  let sum = 0;
  for (let rest = a | 0, shifted = b; rest !== 0; rest <<= 1) {
    if (rest < 0) sum ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return sum;
}
