/** A .NET version number with four parts; missing parts are 0. */
export type FourParts = readonly [number, number, number, number];

/** The version number 0.0.0.0. */
export const zero: FourParts = [0, 0, 0, 0];

// System.Version holds signed 32-bit parts, so a larger number is not a valid part
const largestPart = 2_147_483_647;

/** Parses one to four numbers with dots between them; undefined for any other text. */
export function parseParts(text: string): FourParts | undefined {
  if (!/^\d+(?:\.\d+){0,3}$/.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  if (numbers.some((part) => part > largestPart)) return undefined;
  const [major = 0, minor = 0, build = 0, revision = 0] = numbers;
  return [major, minor, build, revision];
}

/** Compares two version numbers: negative where `a` is lower. */
export function compareParts(a: FourParts, b: FourParts): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

/** Removes trailing zeros, but keeps at least `least` parts. */
export function trimParts(parts: FourParts, least: number): number[] {
  const result: number[] = [...parts];
  while (result.length > least && result.at(-1) === 0) result.pop();
  return result;
}

/** Whether all parts are 0. */
export function isZero(parts: FourParts): boolean {
  return compareParts(parts, zero) === 0;
}
