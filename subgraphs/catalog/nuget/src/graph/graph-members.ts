import type { NugetVersion } from "../versions/version.js";
import type { Situation } from "./evaluate-situation.js";
import { compareText } from "./listed-package.js";
import { type Release, releaseName } from "./package-snapshot.js";
import type { Node } from "./restore-walk.js";

/** A package of the set or behind it. */
export interface Member {
  readonly key: string;
  readonly packageName: string;
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly release: Release | undefined;
  readonly direct: boolean;
  readonly path: readonly Release[];
}

const known = new WeakMap<Situation, readonly Member[]>();

/** Everything that takes part, by name; what is listed twice is in it twice. */
export function membersOf(situation: Situation): readonly Member[] {
  let members = known.get(situation);
  if (members === undefined) known.set(situation, (members = collect(situation)));
  return members;
}

function collect({ entries, graph }: Situation): Member[] {
  const members: Member[] = entries.map(({ key, packageName, text, version, release }) => ({
    key,
    packageName,
    text,
    version,
    release,
    direct: true,
    path: [],
  }));
  for (const node of graph.nodes.values()) {
    const { release } = node;
    if (node.direct || release === undefined) continue;
    members.push(new BroughtIn(node, release));
  }
  return members.sort((a, b) => compareText(a.key, b.key));
}

/** The way to it is spelled out only where a sentence names it. */
class BroughtIn implements Member {
  readonly key: string;
  readonly packageName: string;
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly release: Release;
  readonly direct = false;
  readonly #node: Node;

  constructor(node: Node, release: Release) {
    this.key = node.key;
    this.packageName = node.packageName;
    this.text = release.text;
    this.version = node.version;
    this.release = release;
    this.#node = node;
  }

  get path(): readonly Release[] {
    return this.#node.path;
  }
}

export function nameOf({ packageName, text, path }: Member): string {
  return `${packageName} ${text}${path.length === 0 ? "" : ` (brought in by ${path.map(releaseName).join(" → ")})`}`;
}
