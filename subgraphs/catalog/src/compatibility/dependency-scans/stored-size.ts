import type { PausableWork } from "@factory/runtime/threads/long-work";
import type { ScannedPackage } from "./resolution/scanned-package.js";

/** The packages of a scan that fit into its size. */
interface SizedPackages {
  readonly packages: ScannedPackage[];
  /** Whether nothing was left out. */
  readonly complete: boolean;
}

/**
 * Keeps as much of the packages as fits into so many bytes: first the packages themselves, and then the vulnerabilities
 * and dependencies of each in their order.
 */
export function* withinSize(packages: readonly ScannedPackage[], maxBytes: number): PausableWork<SizedPackages> {
  let left = maxBytes;
  const kept: { readonly whole: ScannedPackage; readonly bare: ScannedPackage; readonly bytes: number }[] = [];
  for (const whole of packages) {
    const bare = { ...whole, vulnerabilities: [], dependsOn: [] };
    const bytes = bytesOf(bare);
    if (bytes > left) break;
    left -= bytes;
    kept.push({ whole, bare, bytes });
    yield;
  }
  const refs = new Set(kept.map(({ bare }) => bare.ref));
  let complete = kept.length === packages.length;
  const sized: ScannedPackage[] = [];
  for (const { whole, bare, bytes } of kept) {
    const more = bytesOf(whole) - bytes;
    const fits = more <= left;
    if (fits) left -= more;
    else complete = false;
    const one = fits ? whole : bare;
    sized.push({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) });
    yield;
  }
  return { packages: sized, complete };
}

function bytesOf(one: ScannedPackage): number {
  return Buffer.byteLength(JSON.stringify(one)) + 1;
}
