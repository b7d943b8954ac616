import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { LRUCache } from "lru-cache";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import { effectiveDriver, type ProviderPreset } from "../../providers/providers/provider-presets.js";

const maxBytes = 16 * 1024 * 1024;
/** A parsed driver is about so many times as large as its text, which has two bytes for each character. */
const parsedFactor = 6;
const leastBytes = 200;

/** Drivers by their text, so that the sets in memory share equal ones. */
export class DriverCache {
  readonly #drivers = new LRUCache<string, ProviderDriver>({
    maxSize: maxBytes,
    sizeCalculation: (_, name) => leastBytes + parsedFactor * name.length,
  });
  readonly #bytes = new WeakMap<ProviderDriver, number>();

  /** A provider's effective driver; `ownDriver` is its own driver's JSON text. */
  of(preset: ProviderPreset | undefined, ownDriver: string | null): ProviderDriver {
    const name = `${preset?.name ?? ""} ${ownDriver ?? ""}`;
    const cachedDriver = this.#drivers.get(name);
    if (cachedDriver) return cachedDriver;
    const driver = effectiveDriver(preset, ownDriver === null ? null : (parseForeignJson(ownDriver) as ProviderDriver));
    this.#drivers.set(name, driver);
    this.#bytes.set(driver, leastBytes + parsedFactor * name.length);
    return driver;
  }

  /** About the bytes that these drivers take in memory. */
  bytesOf(drivers: Iterable<ProviderDriver>): number {
    let bytes = 0;
    for (const driver of new Set(drivers)) bytes += this.#bytes.get(driver) ?? leastBytes;
    return bytes;
  }
}
