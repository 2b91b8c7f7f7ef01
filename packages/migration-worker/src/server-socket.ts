/** What a socket tells the connection that it carries. */
export interface ServerSocketEvents {
  /** A message, as text or as bytes that `toString` decodes: only what is to be read is decoded. */
  message(data: { toString(): string }, isBinary: boolean): void;
  /** What went wrong arrives as a close as well, but without saying so. */
  error(error: Error, isTooLarge: boolean): void;
  /** The socket has ended: called once, and nothing follows it. */
  close(code: number, reason: string): void;
}

/** What the worker needs of an accepted socket. */
export interface ServerSocket {
  /** Bytes that wait for a peer that does not read. */
  readonly bufferedBytes: number;
  /** Writes a message. A socket that cannot send closes, and that is noticed. */
  send(text: string): void;
  /** Begins a close handshake. */
  close(code: number, reason: string): void;
  /** Cuts the connection. */
  terminate(): void;
  /** Sets the one listener. */
  listen(events: ServerSocketEvents): void;
  /**
   * Stops reading as soon as more than `maxBytes` have come from the peer, finished messages or not, and calls
   * `onExceeded`. The returned function lifts the limit.
   */
  limitBytes(maxBytes: number, onExceeded: () => void): () => void;
}
