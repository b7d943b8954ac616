import { removeData } from "@factory/gateway/standalone/client/platform-process";
import { platform } from "./platform.js";

/** Jest's global teardown: leaves no process and no file. */
export default async function stopPlatform(): Promise<void> {
  await (globalThis as { stopPlatform?: () => Promise<unknown> }).stopPlatform?.();
  await removeData(platform().dataDir);
}
