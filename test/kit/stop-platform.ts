import { removeData } from "@factory/platform/client/platform-process";
import { platform } from "./platform.js";

/** Jest's global teardown. It leaves no process and no file behind. */
export default async function stopPlatform(): Promise<void> {
  await (globalThis as { stopPlatform?: () => Promise<unknown> }).stopPlatform?.();
  await removeData(platform().dataDir);
}
