import { encodeId } from "../identifiers/wire-id.js";

/** The reserved tenant for the platform's own principals. It has the same ID in every installation. */
export const platformTenantId = encodeId("ten", "00000000-0000-7000-8000-000000000001");
