import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// before anything else is loaded; beside the packages, since an account that can write there can change the code anyway
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/factory-platform", import.meta.url)));
const { runPlatform } = await import("./run-platform.js");
await runPlatform();
