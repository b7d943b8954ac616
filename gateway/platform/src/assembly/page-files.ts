import { fileURLToPath } from "node:url";
import { StaticFiles } from "@factory/rest-facade/static-files";

/** The folder into which the build writes the files of the pages for developers. */
export const pageFolder = fileURLToPath(new URL("../../dist/bundle/pages/", import.meta.url));

/** The files of the pages for developers; undefined where they are not built. */
export const openPageFiles = (): Promise<StaticFiles | undefined> => StaticFiles.open(pageFolder);
