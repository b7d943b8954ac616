import { EntitySchema } from "@mikro-orm/core";
import { tenantTable } from "../db/tenant-table.js";

export interface Note {
  tenantId: string;
  noteId: string;
  text: string;
}

export const noteTable = new EntitySchema<Note>({
  name: "Note",
  ...tenantTable("notes"),
  properties: {
    tenantId: { type: "uuid", primary: true },
    noteId: { type: "uuid", primary: true },
    text: { type: "text" },
  },
});
