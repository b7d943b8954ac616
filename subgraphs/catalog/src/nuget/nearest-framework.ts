import { compareParts } from "./four-parts.js";
import { type Framework, sameFramework } from "./framework.js";
import { isCompatible } from "./framework-compatibility.js";

/** The candidate whose assets a restore for `project` would take, or undefined where none can be used. */
export function nearestFramework(project: Framework, candidates: readonly Framework[]): Framework | undefined {
  const exact = candidates.find((candidate) => sameFramework(candidate, project));
  if (exact !== undefined) return exact;
  const usable = distinct(candidates.filter((candidate) => isCompatible(project, candidate)));
  const topmost = usable.filter((candidate) => !usable.some((other) => covers(other, candidate)));
  return topmost.sort((a, b) => preference(project, a, b))[0];
}

function distinct(frameworks: readonly Framework[]): Framework[] {
  return frameworks.filter((one, index) => frameworks.findIndex((other) => sameFramework(one, other)) === index);
}

// `other` makes `candidate` needless: it can use it, while `candidate` can not use `other`
function covers(other: Framework, candidate: Framework): boolean {
  return other !== candidate && isCompatible(other, candidate) && !isCompatible(candidate, other);
}

function preference(project: Framework, a: Framework, b: Framework): number {
  return (
    rank(b.identifier === project.identifier) - rank(a.identifier === project.identifier) ||
    rank(b.profile === project.profile) - rank(a.profile === project.profile) ||
    // net6.0 before net5.0-windows: the newer framework before the platform
    compareParts(b.version, a.version) ||
    rank(b.platform !== "") - rank(a.platform !== "") ||
    compareParts(b.platformVersion, a.platformVersion) ||
    rank(b.identifier !== ".NETStandard") - rank(a.identifier !== ".NETStandard")
  );
}

function rank(wanted: boolean): number {
  return wanted ? 1 : 0;
}
