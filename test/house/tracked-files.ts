import { fileURLToPath } from "node:url";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";

/** The checkout's root, with a slash at its end. From `test/house` as from `test/dist/house`. */
export const root = fileURLToPath(
  new URL(import.meta.url.includes("/dist/") ? "../../../" : "../../", import.meta.url),
);

/** Every file that git tracks, relative to `folder`. */
export const trackedFiles = (folder = root): string[] => trackedFilesIn(folder);

/** The tracked files and new ones that git does not ignore. For tools, which a new test must not surprise. */
export const workingFiles = (folder = root): string[] => trackedFilesIn(folder, { withNew: true });

/** True for files that a tool writes. */
export const isGenerated = (file: string): boolean =>
  /\/(generated|migrations|dist)\//.test(file) || /(^|\/)(package-lock\.json|CHANGELOG\.md)$/.test(file);

/** True for tests and for files that only tests use. */
export const isForTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file) || file.startsWith("test/");
