/** The channel that wakes consumers. The payload has the published types, or nothing when they are too many. */
export const busChannel = "bus_messages";

/** PostgreSQL accepts NOTIFY payloads below 8,000 bytes. */
export const maxNotificationLength = 7000;
