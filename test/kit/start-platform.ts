import { removeData, startPlatformProcess, temporaryDataDirectory } from "@factory/platform/client/platform-process";
import { platformVariable } from "./platform.js";

/**
 * Jest's global setup. It starts one platform for all stack suites, as a user starts it. Each suite creates its
 * own tenants.
 */
export default async function startPlatform(): Promise<void> {
  const folder = await temporaryDataDirectory();
  const platform = await startPlatformProcess(folder, { RATE_LIMIT_FACTOR: "1000" }).catch(async (error: unknown) => {
    // Jest does not run the teardown if the setup fails
    await removeData(folder);
    throw error;
  });
  const { publicUrl, internalUrl, dataDir, pid } = platform;
  process.env[platformVariable] = JSON.stringify({ publicUrl, internalUrl, dataDir, pid });
  (globalThis as { stopPlatform?: () => Promise<unknown> }).stopPlatform = () => platform.stop();
}
