import { frameworkName, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import { releaseName } from "@factory/nuget/release";
import type { Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { findAlternatives, findNearReleases, findRuntimesFor, movesToReleases } from "../moves/candidates.js";
import { changeRuntime, type Move } from "../moves/move.js";
import { templateMoves } from "../moves/template-moves.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

/** Finds packages that the project cannot use, listed and transitive ones: a restore fails on both (NU1202). */
export function findUnsupportedLibraries(context: EvaluationContext): Finding[] {
  const { listed: entries, graph, snapshot, project } = context;
  const isBroken = (release: Release | undefined) => release !== undefined && !snapshot.supports(release, project);
  const listedPaths = entries.filter(({ release }) => isBroken(release)).map(({ release }) => ({ release, path: [] }));
  const transitive = [...graph.nodes.values()].filter(({ direct, release }) => !direct && isBroken(release));
  return [...listedPaths, ...transitive].flatMap(({ release, path }) =>
    release ? finding(context, release, path) : [],
  );
}

function finding(context: EvaluationContext, release: Release, path: readonly Release[]): Finding {
  const { library, version, text, targetFrameworks } = release;
  const { packageName, key } = library;
  const direct = path.length === 0;
  const origin = direct ? "" : ` (brought in by ${path.map(releaseName).join(" → ")})`;
  const runtime = frameworkName(context.input.runtime);
  const detail = `${releaseName(release)}${origin} targets ${joinNames(targetFrameworks)}. A ${runtime} project cannot use it.`;
  const moves = (): Move[][] => [
    movesToReleases({ direct, release }, findNearReleases(context, library, { from: version })),
    direct ? findAlternatives(context, library, text) : [],
    findRuntimesFor(context, release),
  ];
  return { rule: "LibraryDoesNotSupportRuntime", subject: `${key}|${text}`, packageName, detail, moves };
}

export function findUnsupportedTemplate(context: EvaluationContext): Finding[] {
  const { template, input } = context;
  if (template === undefined || serves(context, template)) return [];
  const { semanticVersion, targetFramework } = template;
  const runtime = frameworkName(input.runtime);
  const detail = `Template version ${semanticVersion} targets ${targetFramework}, which a ${runtime} project cannot use.`;
  const ownFramework = parseFramework(targetFramework);
  const moves = (): Move[][] => [
    ...templateMoves(context, (version) => serves(context, version)),
    ownFramework === undefined ? [] : [changeRuntime(ownFramework)],
  ];
  return [{ rule: "TemplateDoesNotSupportRuntime", subject: "", packageName: "", detail, moves }];
}

function serves({ project }: EvaluationContext, { targetFramework }: TemplateVersionSide): boolean {
  const target = parseFramework(targetFramework);
  return target !== undefined && isCompatible(project, target);
}
