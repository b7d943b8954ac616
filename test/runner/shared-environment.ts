import { ModuleMocker } from "jest-mock";

/**
 * The environment for all suites: the process itself. Suites share their modules, so that a worker loads each module
 * once. Jest puts a suite's console on `global`, from where the runner takes it.
 */
export default class SharedEnvironment {
  readonly global: Record<string, unknown> = {};
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern = null;

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {}

  exportConditions(): string[] {
    return [];
  }

  getVmContext(): null {
    return null;
  }
}
