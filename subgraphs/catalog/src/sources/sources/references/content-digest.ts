import { createHash } from "node:crypto";

interface DigestedFile {
  readonly mode: string;
  readonly path: string;
  readonly size: number;
  /** The git blob id, so that the same content from git and from a package has the same digest. */
  readonly id: string;
}

/** A source's digest: `sha256:<hex>` over the sorted lines `mode path size blob`. */
export function contentDigest(files: readonly DigestedFile[]): string {
  const lines = files.map(({ mode, path, size, id }) => `${mode} ${path} ${size} ${id}`);
  const hash = createHash("sha256").update(lines.toSorted(byCodePoint).join("\n"));
  return `sha256:${hash.digest("hex")}`;
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
