/** Highest version of the job socket that this package describes. */
export const PROTOCOL_VERSION = 2;
