import { createHash } from "node:crypto";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { blobId } from "../../../git/git/blobs.js";
import type { RemoteCredential } from "../../../git/git/remote-credential.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { isExecutable } from "../../../git/git/tree-listing.js";
import { contentDigest } from "../references/content-digest.js";
import { sourceFailure, sourceTooLarge, sourceUnavailable, sourceUnsafe } from "../references/source-failure.js";
import { requireFileCount, requireRatio, requireSize } from "../references/source-limits.js";
import type { SourceOptions } from "../references/source-options.js";
import { formatSourceRef, type PackageSourceRef } from "../references/source-ref.js";
import { NugetFeeds } from "./nuget-feeds.js";
import { packageBody, packageLimits } from "./package-answer.js";
import { type ArchiveFile, PackageArchive } from "./package-archive.js";
import { type Deadline, PackageDownloads } from "./package-downloads.js";
import { readPackageFile } from "./package-file.js";
import { defaultFolder, isPackageMetadata } from "./package-layout.js";

interface FetchedPackage {
  bytes: Buffer;
  /** The reference pinned to the SHA-256 of these bytes. */
  resolvedRef: string;
}

/** A package's paths, and the content of the wanted files. */
export interface PackageListing {
  /** All paths in the package, metadata included. */
  readonly paths: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The reference pinned to the package's SHA-256. */
  readonly resolvedRef: string;
}

interface ReadPackage {
  files: FileTree;
  contentDigest: string;
  resolvedRef: string;
}

/**
 * Reads zip packages from https, local folders and NuGet feeds, under one policy. Throws errors with codes SOURCE_….
 */
export class PackageReader {
  readonly #policy: SourcePolicy;
  readonly #downloads: PackageDownloads;
  readonly #feeds: NugetFeeds;

  constructor(policy: SourcePolicy, feeds: readonly string[]) {
    this.#policy = policy;
    this.#downloads = new PackageDownloads(policy);
    this.#feeds = new NugetFeeds(feeds, this.#downloads);
  }

  /** Pins a reference to the package that its address has now. */
  async resolve(ref: PackageSourceRef, options: SourceOptions): Promise<{ resolvedRef: string }> {
    const { resolvedRef } = await this.#fetch(ref, deadlineOf(options), options.credential);
    return { resolvedRef };
  }

  /** Reads the files into memory. A pinned reference gives the pinned bytes, or an error. */
  async read(ref: PackageSourceRef, options: SourceOptions): Promise<ReadPackage> {
    const deadline = deadlineOf(options);
    const { bytes, resolvedRef } = await this.#fetch(ref, deadline, options.credential);
    const archive = await PackageArchive.open(bytes);
    const folder = selectFolder(archive.files, ref.path);
    requireFileCount(folder.length);
    requireSize(folder);
    requireRatio(folder, bytes.length);
    return { ...(await unpack(archive, folder, deadline)), resolvedRef };
  }

  /** Lists the whole package under the limits of `read`, and reads the wanted files. */
  async list(
    ref: PackageSourceRef,
    fileChoice: { isWanted(path: string): boolean; maxBytes: number },
    options: SourceOptions,
  ): Promise<PackageListing> {
    const { bytes, resolvedRef } = await this.#fetch(ref, deadlineOf(options), options.credential);
    const archive = await PackageArchive.open(bytes);
    requireFileCount(archive.files.length);
    requireSize(archive.files);
    requireRatio(archive.files, bytes.length);
    const files = new Map<string, Uint8Array>();
    for (const file of archive.files.filter(({ path }) => fileChoice.isWanted(path))) {
      if (file.size > fileChoice.maxBytes)
        throw sourceTooLarge(`"${file.path}" has more than ${fileChoice.maxBytes} bytes, which is the limit.`);
      files.set(file.path, await archive.read(file));
    }
    return { paths: archive.files.map(({ path }) => path), files, resolvedRef };
  }

  close(): Promise<void> {
    return this.#downloads.close();
  }

  async #fetch(ref: PackageSourceRef, deadline: Deadline, credential?: RemoteCredential): Promise<FetchedPackage> {
    deadline.signal?.throwIfAborted();
    try {
      const bytes = await this.#bytes(ref, deadline, credential);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      if (ref.sha256 !== null && ref.sha256 !== sha256) {
        throw sourceUnsafe(
          "The package differs from the pinned one: its sha256 is another. Create a version with a new reference.",
        );
      }
      return { bytes, resolvedRef: formatSourceRef({ ...ref, sha256 }) };
    } catch (error) {
      throw sourceFailure(error);
    }
  }

  async #bytes(ref: PackageSourceRef, deadline: Deadline, credential?: RemoteCredential): Promise<Buffer> {
    if (ref.transport === "feed") {
      // The operator configures the feeds, so a tenant's credential must not be sent to them.
      if (credential !== undefined)
        throw sourceUnavailable("A nuget: reference has no host, so it takes no credential.");
      return this.#feeds.download(ref, deadline);
    }
    if (ref.transport === "file") return readPackageFile(ref.url, this.#policy);
    return packageBody(await this.#downloads.get(ref.url, packageLimits, deadline, credential));
  }
}

/** The files in a package folder, with paths relative to it. */
function selectFolder(files: readonly ArchiveFile[], path: string): ArchiveFile[] {
  const content = files.filter((file) => !isPackageMetadata(file.path));
  const folder = path === "" ? defaultFolder(content.map((file) => file.path)) : path;
  if (folder === "") return content;
  const selectedFiles = content.filter((file) => file.path.startsWith(`${folder}/`));
  if (selectedFiles.length === 0)
    throw sourceUnavailable(`The package has no folder "${folder}". Check the path in sourceRef.`);
  return selectedFiles.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }));
}

async function unpack(archive: PackageArchive, folder: readonly ArchiveFile[], deadline: Deadline) {
  const files = new Map<string, TreeFile>();
  const digestEntries: Parameters<typeof contentDigest>[0][number][] = [];
  for (const file of folder) {
    deadline.signal?.throwIfAborted();
    if (Date.now() > deadline.endsAt)
      throw sourceUnavailable("The package could not be uncompressed in time. Try again later.");
    const bytes = await archive.read(file);
    files.set(file.path, { bytes, executable: isExecutable(file.mode) });
    digestEntries.push({ ...file, id: blobId(bytes, "sha1") });
  }
  return { files, contentDigest: contentDigest(digestEntries) };
}

function deadlineOf({ timeoutMs, signal }: SourceOptions): Deadline {
  return { endsAt: Date.now() + timeoutMs, signal };
}
