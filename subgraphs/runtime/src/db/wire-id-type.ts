import { type IdPrefix } from "@factory/schema/id-prefixes";
import { Type } from "@mikro-orm/core";
import { decodeId, encodeId } from "../identifiers/wire-id.js";

/** A column type: a UUID in PostgreSQL, the wire ID with one prefix (`tpl_…`) in the entity. */
export class WireIdType extends Type<string, string> {
  constructor(readonly prefix: IdPrefix) {
    super();
  }

  override convertToDatabaseValue(value: string | null | undefined): string {
    if (value == null) return value as unknown as string;
    const uuid = decodeId(this.prefix, value);
    if (uuid === undefined) throw new TypeError(`Not an id of prefix ${this.prefix}: ${value}`);
    return uuid;
  }

  override convertToJSValue(value: string | null | undefined): string {
    return value == null ? (value as unknown as string) : encodeId(this.prefix, value);
  }

  override getColumnType(): string {
    return "uuid";
  }

  override compareAsType(): string {
    return "string";
  }
}

/** The column type as a property option: `@PrimaryKey({ type: wireId("tpl") })`. */
export const wireId = (prefix: IdPrefix) => new WireIdType(prefix);
