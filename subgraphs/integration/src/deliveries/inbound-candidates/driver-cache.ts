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

  /** The effective driver of a provider; `own` is the JSON text of its own one. */
  of(preset: ProviderPreset | undefined, own: string | null): ProviderDriver {
    const name = `${preset?.name ?? ""} ${own ?? ""}`;
    const known = this.#drivers.get(name);
    if (known) return known;
    const driver = effectiveDriver(preset, own === null ? null : (parseForeignJson(own) as ProviderDriver));
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
