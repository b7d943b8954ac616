import {
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { platformVariable } from "./platform.js";

/** Jest's global setup: one platform for all whole-stack suites, as its user starts it. Each suite makes its own tenants. */
export default async function startPlatform(): Promise<void> {
  const folder = await temporaryDataDirectory();
  const platform = await startPlatformProcess(folder, { RATE_LIMIT_FACTOR: "1000" }).catch(async (error: unknown) => {
    // jest runs no teardown when the setup fails
    await removeData(folder);
    throw error;
  });
  const { publicUrl, internalUrl, dataDir, pid } = platform;
  process.env[platformVariable] = JSON.stringify({ publicUrl, internalUrl, dataDir, pid });
  (globalThis as { stopPlatform?: () => Promise<unknown> }).stopPlatform = () => platform.stop();
}
