import "reflect-metadata";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ModuleMocker } from "jest-mock";
import { loadSources } from "./source-modules.js";

/** A test runner's arguments from Jest: global config, project config, environment, runtime, file, messages. */
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
// with the same module instance as the suites' fixtures
const { suiteBegins, suiteEnded } = await import("@factory/runtime/postgres/worker-lifetime.fixture");

/**
 * Runs one suite with jest-circus in this process, without a VM context and without a separate module registry. So a
 * worker loads each platform module once, and not once for each suite.
 */
export default async function runSuite(...[globalConfig, config, environment, , file, messages]: Suite) {
  // Jest maps stacks by its own transforms, which are not used here. Node maps them.
  Error.prepareStackTrace = undefined as never;
  const { console } = globalThis;
  Object.assign(globalThis, { jest, console: environment.global["console"] });
  const suiteEnvironment = { ...environment, global: globalThis as Record<string, unknown> };
  await suiteBegins();
  try {
    return await circus.default(globalConfig, config, suiteEnvironment, nativeModules(), file, messages);
  } finally {
    suiteEnded();
    mocker.restoreAllMocks();
    globalThis.console = console;
  }
}

/** The runtime that jest-circus expects, over this process's modules. Each suite has its own jest-circus state. */
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
