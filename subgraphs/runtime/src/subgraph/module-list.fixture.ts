import { readFile } from "node:fs/promises";
import { eventTypes } from "@factory/schema/event-names";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { vendorEventTypes } from "@factory/schema/vendor-event-types";
import { tableOwners } from "./module-tables.js";
import type { SliceModule } from "./slice-module.js";
import { trackedFilesIn } from "./tracked-files.fixture.js";

const ofVendors: ReadonlySet<string> = new Set(vendorEventTypes);

type Modules = readonly SliceModule<never>[];

/** The slices' own files as texts by path below `src`: no tests, fixtures and migrations. */
type Sources = ReadonlyMap<string, string>;

/** `users` for `people/users/user.entity.ts` and for `users/user.entity.ts`. A wing holds slices and no source. */
function sliceOf(path: string, sources: Sources): string {
  const [room = "", slice = ""] = path.split("/");
  const isSlice = [...sources.keys()].some((other) => other.startsWith(`${room}/`) && other.split("/").length === 2);
  return isSlice ? room : slice;
}

/**
 * How a module list and the sources in `src` differ, with a sentence for each problem. An event type counts as emitted
 * where its name stands as a string in its own subgraph's sources. Files that end with `-names.ts` are name tables and
 * emit nothing.
 */
export async function moduleListProblems(subgraph: SubgraphName, modules: Modules, src: URL): Promise<string[]> {
  const sources = await readSources(src);
  return [
    ...modules.flatMap(({ slice }) => {
      const file = `/${slice}/${slice}.module.ts`;
      return [...sources.keys()].some((path) => `/${path}`.endsWith(file)) ? [] : [`${slice} has no module`];
    }),
    ...entityProblems(modules, sources),
    ...eventProblems(subgraph, modules, sources),
    ...ownershipProblems(modules),
  ];
}

const slicesOf = (modules: Modules, declares: (module: SliceModule<never>) => boolean) =>
  modules.filter(declares).map(({ slice }) => slice);

function entityProblems(modules: Modules, sources: Sources): string[] {
  const entities = [...sources].flatMap(([path, text]) =>
    path.endsWith(".entity.ts") ? [...text.matchAll(/^export class (\w+)/gm)].map(([, name]) => ({ path, name })) : [],
  );
  return entities.flatMap(({ path, name: entity }) => {
    const declaringSlices = slicesOf(modules, ({ entities: knownEntities = [] }) =>
      knownEntities.some(({ name }) => name === entity),
    );
    return declaringSlices.length === 1 && declaringSlices[0] === sliceOf(path, sources)
      ? []
      : [`${path} exports the entity ${entity}, which is declared by ${declaringSlices.join(" and ") || "no module"}`];
  });
}

function eventProblems(subgraph: SubgraphName, modules: Modules, sources: Sources): string[] {
  // A vendor event has its name from the vendor table, and not from a source.
  const ownTypes = Object.entries(eventTypes).filter(
    ([type, { source }]) => source === subgraph && !ofVendors.has(type),
  );
  return ownTypes.flatMap(([type]) => {
    const emitting = emittingSlices(sources, type);
    const declaringSlices = slicesOf(modules, ({ events = [] }) => events.some((event) => event === type));
    if (emitting.length === 0) return declaringSlices.length === 0 ? [] : [`${type} is declared and never emitted`];
    return declaringSlices.length === 1 && emitting.includes(declaringSlices[0] ?? "")
      ? []
      : [
          `${type} is emitted by ${emitting.join(" and ")} and declared by ${declaringSlices.join(" and ") || "no module"}`,
        ];
  });
}

/** Foreign keys and waiting rows are declared by the slice that owns the table and the job. */
function ownershipProblems(modules: Modules): string[] {
  const owners = tableOwners(modules);
  return modules.flatMap(({ slice, foreignKeys = {}, jobs = [], waitingRows = [] }) => [
    ...Object.keys(foreignKeys).flatMap((column) =>
      owners[column.split(".")[0] ?? ""] === slice ? [] : [`${column} is not a column of ${slice}`],
    ),
    ...waitingRows.flatMap(({ job }) =>
      jobs.some(({ queue }) => queue === job.queue) ? [] : [`${job.queue} is not a job of ${slice}`],
    ),
  ]);
}

function emittingSlices(sources: Sources, type: string): string[] {
  const files = [...sources].filter(
    ([path, text]) => !/(\.module|\.states|-names)\.ts$/.test(path) && text.includes(`"${type}"`),
  );
  return [...new Set(files.map(([path]) => sliceOf(path, sources)))];
}

async function readSources(src: URL): Promise<Sources> {
  const paths = trackedFilesIn(src).filter(
    (path) => path.includes("/") && /(?<!\.test|\.fixture)\.ts$/.test(path) && !path.startsWith("migrations/"),
  );
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(new URL(path, src), "utf8")] as const)),
  );
}
