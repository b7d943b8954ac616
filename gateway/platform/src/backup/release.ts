import { readFileSync } from "node:fs";

const file = new URL("../../package.json", import.meta.url);

/** This platform's version. */
export const release: string = (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
