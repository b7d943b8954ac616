import type { RecordOf } from "@factory/runtime/db/entity-rows";
import type { ChainedRecord } from "./audit-record.entity.js";
import { recordFacts, recordPersonalData } from "./audit-record.view.js";
import type { AuditBreakType } from "./audit-verification.type.js";
import { chainHash, personalDigest } from "./chain-record.js";

/** A record as it is checked, with the salt that no caller sees. */
type CheckedRecord = RecordOf<ChainedRecord>;

/** Checks a chain's records, one after the other from a known position and hash. */
export class ChainCheck {
  position: number;
  hash: Buffer;

  constructor(position: number, hash: Buffer) {
    this.position = position;
    this.hash = hash;
  }

  /** Checks the next record. Returns its fault; undefined if it continues the chain. */
  next(record: CheckedRecord): AuditBreakType | undefined {
    const position = this.position + 1;
    if (Number(record.position) !== position)
      return { position, reason: "Removed", detail: `The next record has the position ${record.position}.` };
    const facts = recordFacts(record);
    const hash = chainHash(this.hash, facts);
    if (!hash.equals(record.hash))
      return { position, reason: "Altered", detail: "The hash of the record is not that of its content." };
    if (!personalDataFits(record))
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
function personalDataFits(record: CheckedRecord): boolean {
  const personal = recordPersonalData(record);
  if (record.personalSalt === null) return Object.values(personal).every((value) => value === undefined);
  const digest = personalDigest(record.personalSalt, personal);
  return digest !== undefined && record.personalDigest !== null && digest.equals(record.personalDigest);
}
