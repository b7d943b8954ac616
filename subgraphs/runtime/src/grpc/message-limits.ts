/** The largest gRPC message, both ways and on both ends. */
export const maxMessageBytes = 1024 * 1024;
