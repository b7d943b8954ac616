import { type AuditRecordRow, rowFacts, rowPersonalData } from "./audit-record.view.js";
import type { AuditBreakType } from "./audit-verification.type.js";
import { chainHash, personalDigest } from "./chain-record.js";

/** A record as it is checked, with the salt that no caller sees. */
export interface CheckedRow extends AuditRecordRow {
  personal_salt: Buffer | null;
}

/** Checks the records of a chain, one after the other from a known position and hash. */
export class ChainCheck {
  position: number;
  hash: Buffer;

  constructor(position: number, hash: Buffer) {
    this.position = position;
    this.hash = hash;
  }

  /** Checks the next record. Returns its fault; undefined if it continues the chain. */
  next(row: CheckedRow): AuditBreakType | undefined {
    const position = this.position + 1;
    if (Number(row.position) !== position)
      return { position, reason: "Removed", detail: `The next record has the position ${row.position}.` };
    const facts = rowFacts(row);
    const hash = chainHash(this.hash, facts);
    if (!hash.equals(row.hash))
      return { position, reason: "Altered", detail: "The hash of the record is not that of its content." };
    if (!personalDataFits(row))
      return {
        position,
        reason: "PersonalDataAltered",
        detail: "Address, e-mail address or user agent are not those that were recorded.",
      };
    this.position = position;
    this.hash = hash;
    return undefined;
  }
}

/** Without a salt there must be no personal data: there never was any, or it was erased. */
function personalDataFits(row: CheckedRow): boolean {
  const personal = rowPersonalData(row);
  if (row.personal_salt === null) return Object.values(personal).every((value) => value === undefined);
  const digest = personalDigest(row.personal_salt, personal);
  return digest !== undefined && row.personal_digest !== null && digest.equals(row.personal_digest);
}
