import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Outside the bundle, the first argument names the folder with a prepared start: `npm run dev` bundles nothing.

/** The address of the file that runs. Only bundle files have it. */
declare const bundleAddress: string | undefined;

// The cache must be enabled before other modules are loaded. It is in node_modules, since an account that can write
// there can change the code anyway.
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/factory-platform", import.meta.url)));
const { runPlatform } = await import("./run-platform.js");
const [, , preparedIn] = process.argv;
await runPlatform(typeof bundleAddress === "string" ? fileURLToPath(new URL(".", bundleAddress)) : preparedIn);
