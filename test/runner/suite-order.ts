import { createRequire } from "node:module";

/** A suite as Jest hands it over. */
interface Suite {
  readonly path: string;
  /** Milliseconds that an earlier run on this machine took. */
  readonly duration?: number;
}

interface Order {
  sort(suites: readonly Suite[]): Suite[];
}

const require = createRequire(import.meta.url);
const { default: JestOrder } = require("@jest/test-sequencer") as {
  default: new (options: unknown) => Order;
};

const isLong = ({ path }: Suite) => path.includes("/test/faults/") || path.endsWith("-kills.test.ts");

/**
 * Long suites begin first, so that the last worker does not end minutes after the others. On a machine without an earlier
 * run Jest takes large files for long suites, but the suites that kill processes are short files.
 */
export default class SuiteOrder extends JestOrder {
  override sort(suites: readonly Suite[]): Suite[] {
    const sortedSuites = super.sort(suites);
    if (sortedSuites.some(({ duration }) => duration !== undefined)) return sortedSuites;
    return [...sortedSuites.filter(isLong), ...sortedSuites.filter((suite) => !isLong(suite))];
  }
}
