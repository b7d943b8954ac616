import "reflect-metadata";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ModuleMocker } from "jest-mock";
import { loadSources } from "./source-modules.js";

/** The arguments that Jest gives to a test runner: global config, project config, environment, runtime, file, messages. */
type Suite = readonly [unknown, unknown, { readonly global: Record<string, unknown> }, unknown, string, unknown];

const require = createRequire(import.meta.url);
const circus = require("jest-circus/runner") as { default(...suite: Suite): Promise<unknown> };
const mocker = new ModuleMocker(globalThis);
const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
};

loadSources();
// with the same module instance as the fixtures of the suites
const { suiteBegins, suiteEnded } = await import("@factory/runtime/postgres/worker-lifetime.fixture");

/**
 * Runs one suite with jest-circus in this process, without a VM context and without a module registry of its own. So a
 * worker loads each module of the platform once, and not once for each of its suites.
 */
export default async function runSuite(...[globalConfig, config, environment, , file, messages]: Suite) {
  // Jest maps stacks by its own transforms, which are not used here. Node maps them.
  Error.prepareStackTrace = undefined as never;
  const { console } = globalThis;
  Object.assign(globalThis, { jest, console: environment.global["console"] });
  const shared = { ...environment, global: globalThis as Record<string, unknown> };
  await suiteBegins();
  try {
    return await circus.default(globalConfig, config, shared, nativeModules(), file, messages);
  } finally {
    suiteEnded();
    mocker.restoreAllMocks();
    globalThis.console = console;
  }
}

/** The runtime that jest-circus expects, over the modules of this process. Each suite has its own state of jest-circus. */
function nativeModules() {
  return {
    requireInternalModule(file: string): unknown {
      delete require.cache[file];
      return require(file);
    },
    requireModule: require,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file: string) => import(pathToFileURL(file).href),
    setGlobalsForRuntime: () => undefined,
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
}
