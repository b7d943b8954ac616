export const platformVariable = "FACTORY_TEST_PLATFORM";

interface TestPlatform {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** The platform's database, if its DATA_DIR has none. */
  readonly databaseUrl?: string;
}

/** The platform that the global setup started. */
export function platform(): TestPlatform {
  const platformJson = process.env[platformVariable];
  if (platformJson === undefined) throw new Error("No platform was started: run the suites through npm test");
  return JSON.parse(platformJson) as TestPlatform;
}
