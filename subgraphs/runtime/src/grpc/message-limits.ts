/** The largest gRPC message in both directions, for servers and clients. */
export const maxMessageBytes = 1024 * 1024;
