import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// The cache must be enabled before other modules are loaded. It is in node_modules, since an account that can write
// there can change the code anyway.
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/factory-platform", import.meta.url)));
const { runPlatform } = await import("./run-platform.js");
await runPlatform();
