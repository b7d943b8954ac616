/** The nil UUID (RFC 9562, section 5.9). No row has it, and it comes before every other UUID. */
export const nilUuid = "00000000-0000-0000-0000-000000000000";
