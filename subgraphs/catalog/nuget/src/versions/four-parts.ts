/** A .NET version number: missing parts are 0. */
export type FourParts = readonly [number, number, number, number];

export const zero: FourParts = [0, 0, 0, 0];

// System.Version holds signed 32-bit parts; a larger number is no version
const largestPart = 2_147_483_647;

/** Reads one to four dotted numbers, or undefined. */
export function parseParts(text: string): FourParts | undefined {
  if (!/^\d+(?:\.\d+){0,3}$/.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  if (numbers.some((part) => part > largestPart)) return undefined;
  const [major = 0, minor = 0, build = 0, revision = 0] = numbers;
  return [major, minor, build, revision];
}

export function compareParts(a: FourParts, b: FourParts): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

/** The parts without trailing zeros, but at least `least` of them. */
export function trimParts(parts: FourParts, least: number): number[] {
  const kept: number[] = [...parts];
  while (kept.length > least && kept.at(-1) === 0) kept.pop();
  return kept;
}

export function isZero(parts: FourParts): boolean {
  return compareParts(parts, zero) === 0;
}
