import { frameworkName, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import { type Release, releaseName } from "@factory/nuget/package-snapshot";
import { compareVersions, parseVersion } from "@factory/nuget/version";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import type { Move, TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { alternatives, moveTo, releasesNear, runtimesFor } from "../moves/candidates.js";
import { changeRuntime, changeVersion } from "../moves/move.js";
import { sentence } from "./listed-versions.js";

/** Listed packages, and those they bring in: a restore fails on both alike (NU1202). */
export function unsupportedLibraries(situation: Situation): Finding[] {
  const { entries, graph, snapshot, project } = situation;
  const isBroken = (release: Release | undefined) => release !== undefined && !snapshot.supports(release, project);
  const listed = entries.filter(({ release }) => isBroken(release)).map(({ release }) => ({ release, path: [] }));
  const broughtIn = [...graph.nodes.values()].filter(({ direct, release }) => !direct && isBroken(release));
  return [...listed, ...broughtIn].flatMap(({ release, path }) => (release ? finding(situation, release, path) : []));
}

function finding(situation: Situation, release: Release, path: readonly Release[]): Finding {
  const { library, version, text, targetFrameworks } = release;
  const { packageName, key } = library;
  const direct = path.length === 0;
  const origin = direct ? "" : ` (brought in by ${path.map(releaseName).join(" → ")})`;
  const runtime = frameworkName(situation.input.runtime);
  const detail = `${releaseName(release)}${origin} targets ${sentence(targetFrameworks)}; a ${runtime} project can use none of that.`;
  const moves = (): Move[][] => [
    moveTo({ direct, release }, releasesNear(situation, library, { from: version })),
    direct ? alternatives(situation, library, text) : [],
    runtimesFor(situation, release),
  ];
  return { rule: "LibraryDoesNotSupportRuntime", subject: `${key}|${text}`, packageName, detail, moves };
}

/** Changes to other versions of the template that pass the test, Published before Draft and newest first. */
export function templateMoves({ template }: Situation, test: (version: TemplateVersionSide) => boolean): Move[][] {
  if (template === undefined) return [];
  return ["Published", "Draft"].map((status) =>
    template.otherVersions
      .filter((version) => version.status === status && test(version))
      .sort(newestFirst)
      .map((version) => changeVersion(null, [template.semanticVersion, version.semanticVersion])),
  );
}

export function unsupportedTemplate(situation: Situation): Finding[] {
  const { template, input } = situation;
  if (template === undefined || serves(situation, template)) return [];
  const { semanticVersion, targetFramework } = template;
  const runtime = frameworkName(input.runtime);
  const detail = `Template version ${semanticVersion} targets ${targetFramework}, which a ${runtime} project can not use.`;
  const own = parseFramework(targetFramework);
  const moves = (): Move[][] => [
    ...templateMoves(situation, (version) => serves(situation, version)),
    own === undefined ? [] : [changeRuntime(own)],
  ];
  return [{ rule: "TemplateDoesNotSupportRuntime", subject: "", packageName: "", detail, moves }];
}

function serves({ project }: Situation, { targetFramework }: TemplateVersionSide): boolean {
  const target = parseFramework(targetFramework);
  return target !== undefined && isCompatible(project, target);
}

function newestFirst(a: TemplateVersionSide, b: TemplateVersionSide): number {
  const [left, right] = [parseVersion(a.semanticVersion), parseVersion(b.semanticVersion)];
  return left && right ? compareVersions(right, left) : Number(left === undefined) - Number(right === undefined);
}
