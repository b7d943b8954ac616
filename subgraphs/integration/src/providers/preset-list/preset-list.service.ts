import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import { type ProviderPreset, providerPresets } from "../providers/provider-presets.js";

const presetsInOrder = providerPresets.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Lists the presets in pages. They are constants, so it reads nothing from the database. */
export class PresetListService {
  readonly #cursors: CursorSeal;

  constructor(cursors: CursorSeal) {
    this.#cursors = cursors;
  }

  list(context: RequestContext, { first, after }: PageRequest<never>): Connection<ProviderPreset> {
    const scope = { list: "vendorPresets", tenantId: principalOf(context).tenantId ?? null };
    const last = after == null ? "" : String(this.#cursors.open(scope, after));
    const size = pageSize(first);
    const presets = presetsInOrder.filter(({ name }) => name > last);
    return connectionOf(presets.slice(0, size + 1), {
      ...{ size, after },
      cursorOf: ({ name }) => this.#cursors.seal(scope, name),
    });
  }
}
