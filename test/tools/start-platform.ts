/** The global setup of `node --test`: one platform for all suites of this folder, as the whole-stack suites have one. */
export { default as globalSetup } from "@factory/test/kit/start-platform";
export { default as globalTeardown } from "@factory/test/kit/stop-platform";
