import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import {
  byText,
  type Connection,
  connectionOf,
  type PageBounds,
  pageOf,
  pageReach,
} from "@factory/runtime/pagination/page";
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

  list(context: RequestContext, bounds: PageBounds): Connection<ProviderPreset> {
    const scope = { list: "vendorPresets", tenantId: principalOf(context).tenantId ?? null };
    const reach = pageReach(bounds);
    const cursorName = reach.cursor === undefined ? undefined : this.#cursors.open(scope, reach.cursor);
    const page = pageOf(
      presetsInOrder,
      reach,
      byText(({ name }) => name, cursorName),
    );
    return connectionOf(page, reach, ({ name }) => this.#cursors.seal(scope, name));
  }
}
