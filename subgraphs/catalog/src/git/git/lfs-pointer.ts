/** Git LFS reads no longer file as a pointer. */
const maxBytes = 1023;
const beginning = Buffer.from("version ");
/** The versions that Git LFS reads: the one in its specification, and two from releases before it. */
const versions: readonly string[] = [
  "https://git-lfs.github.com/spec/v1",
  "https://hawser.github.com/spec/v1",
  "http://git-media.io/v/2",
];
const keyForm = /^[a-z0-9.-]+$/;
const oidForm = /^sha256:[0-9a-f]{64}$/i;
const sizeForm = /^\d{1,19}$/;

/**
 * Whether a file is a Git LFS pointer, by https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md. As in Git LFS
 * itself, the line ends may be as on Windows, and the last one may be missing.
 */
export function isLfsPointer(bytes: Uint8Array): boolean {
  if (bytes.length > maxBytes || !beginning.equals(bytes.subarray(0, beginning.length))) return false;
  const [first = "", ...others] = Buffer.from(bytes).toString("utf8").trimEnd().split(/\r?\n/);
  if (!versions.includes(first.slice(beginning.length))) return false;
  const pairs = others.map(keyAndValue);
  if (!pairs.every(([key], at) => keyForm.test(key) && (pairs[at - 1]?.[0] ?? "") < key)) return false;
  const { oid = "", size = "" } = Object.fromEntries(pairs);
  return oidForm.test(oid) && sizeForm.test(size);
}

function keyAndValue(line: string): [key: string, value: string] {
  const space = line.indexOf(" ");
  return space < 0 ? ["", ""] : [line.slice(0, space), line.slice(space + 1)];
}
