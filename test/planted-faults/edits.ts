import type { Edit } from "./fault.js";

/** A refusal that never comes. The condition stays, so that the code behind it keeps its types, too. */
export const noRefusal: Edit[] = [
  { pattern: /\bif \((.+)\)(\s+)(throw |return ["`])/g, replace: "if (($1) && Date.now() < 0)$2$3" },
];

export const boundaries: Edit[] = [
  { pattern: / ([<>])= /g, replace: " $1 " },
  { pattern: / ([<>]) (?=[\w(])/g, replace: " $1= " },
];

export const equalities: Edit[] = [
  { pattern: / === /g, replace: " !== " },
  { pattern: / !== /g, replace: " === " },
];

export const connectives: Edit[] = [
  { pattern: / && /g, replace: " || " },
  { pattern: / \|\| /g, replace: " && " },
];

export const extremes: Edit[] = [
  { pattern: /\bMath\.min\(/g, replace: "Math.max(" },
  { pattern: /\bMath\.max\(/g, replace: "Math.min(" },
];

export const verdicts: Edit[] = [
  { pattern: /\breturn true;/g, replace: "return false;" },
  { pattern: /\breturn false;/g, replace: "return true;" },
];

export const decisions: Edit[] = [...noRefusal, ...equalities, ...connectives, ...verdicts];
