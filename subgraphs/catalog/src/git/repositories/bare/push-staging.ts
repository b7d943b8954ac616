import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BareContent, writeBareFolder } from "./bare-folder.js";

/** A pack that git has received. */
export interface ReceivedPack {
  /** The checksum at the end of the pack, which is also in its name. */
  readonly checksum: string;
  /** The file; its index is beside it, with `.idx`. */
  readonly file: string;
  readonly bytes: number;
}

export type StagedContent = Omit<BareContent, "settings"> & {
  /** The limit for one push. */
  readonly maxBytes: number;
};

const settings = (maxBytes: number) => `[receive]
	denyDeletes = true
	denyNonFastForwards = true
	unpackLimit = 1
	maxInputSize = ${Math.max(1, maxBytes)}
	autogc = false
`;

/**
 * A private bare repository that receives one push as packs. A process that dies leaves a folder behind that nobody
 * reads.
 */
export class PushStaging {
  private constructor(readonly folder: string) {}

  /** `parent` is on the store's file system, so that received packs can be moved there. */
  static async open(parent: string, content: StagedContent): Promise<PushStaging> {
    const staging = new PushStaging(await mkdtemp(join(parent, "push-")));
    try {
      await staging.#write(content);
      return staging;
    } catch (error) {
      await staging.remove();
      throw error;
    }
  }

  /** The packs that git has received since the folder was made. */
  async packs(): Promise<ReceivedPack[]> {
    const folder = join(this.folder, "objects", "pack");
    const names = (await readdir(folder)).filter((name) => /^pack-[0-9a-f]{40}\.pack$/.test(name));
    return Promise.all(
      names.map(async (name) => {
        const file = join(folder, name);
        return { checksum: name.slice("pack-".length, -".pack".length), file, bytes: (await stat(file)).size };
      }),
    );
  }

  /** Forgets what was pushed and begins with another content, at the same address. */
  async reset(content: StagedContent): Promise<void> {
    for (const name of ["refs", "objects", "packed-refs"])
      await rm(join(this.folder, name), { recursive: true, force: true });
    await this.#write(content);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  async #write(content: StagedContent): Promise<void> {
    await writeBareFolder(this.folder, { ...content, settings: settings(content.maxBytes) });
  }
}

/** Moves a pack into another repository's `packs` folder. Git uses a pack as soon as its index is there. */
export async function movePack(file: string, packs: string, checksum: string): Promise<void> {
  const target = join(packs, `pack-${checksum}`);
  await rename(file, `${target}.pack`);
  await rename(file.replace(/\.pack$/, ".idx"), `${target}.idx`);
}
