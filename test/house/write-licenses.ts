import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { licensePage } from "./third-party-licenses.js";
import { root } from "./tracked-files.js";

const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
await writeFile(join(root, "THIRD-PARTY-LICENSES.md"), licensePage(lock));
