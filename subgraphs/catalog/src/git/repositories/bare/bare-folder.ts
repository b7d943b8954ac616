import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A ref in a repository: its full name and the object that it names. */
export interface Ref {
  readonly name: string;
  readonly objectId: string;
}

/** A bare repository's content that borrows its objects. */
export interface BareContent {
  /** The folder `objects` with all objects; undefined for a repository without any. */
  readonly objects: string | undefined;
  /** The branch that HEAD names. */
  readonly head: string;
  /** Sorted by name, byte by byte. */
  readonly refs: readonly Ref[];
  /** Lines after the section `[core]` in the configuration. */
  readonly settings?: string;
}

/** Writes a bare repository into a folder, without a git process. Its refs are one file, so they change at once. */
export async function writeBareFolder(folder: string, content: BareContent): Promise<void> {
  const { objects, head, refs, settings = "" } = content;
  await mkdir(join(folder, "objects", "info"), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, "objects", "pack"), { mode: 0o700 });
  await mkdir(join(folder, "refs", "heads"), { recursive: true, mode: 0o700 });
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  await Promise.all([
    write("config", `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${settings}`),
    write("HEAD", `ref: refs/heads/${head}\n`),
    write("packed-refs", packedRefs(refs)),
    ...(objects === undefined ? [] : [write("objects/info/alternates", `${objects}\n`)]),
  ]);
}

/** Git peels tags itself, since the header does not promise peeled values. */
const packedRefs = (refs: readonly Ref[]) =>
  `# pack-refs with: sorted \n${refs.map(({ name, objectId }) => `${objectId} ${name}\n`).join("")}`;
