import { registerHooks } from "node:module";

/**
 * Preloaded by a platform of the bench: its transactions write no audit records. The platform itself has no such switch.
 */
const changed = "/unit-of-work/database.js";
const [condition, never] = ["if (audited)", "if (false)"];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(changed)) return loaded;
    const source = loaded.source instanceof ArrayBuffer ? "" : String(loaded.source);
    if (!source.includes(condition)) throw new Error(`${url} does not contain ${condition}`);
    return { ...loaded, source: source.replace(condition, never) };
  },
});
